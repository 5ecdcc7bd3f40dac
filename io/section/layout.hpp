// The layout of a section file of an index: {header, data, page CRCs, footer}. The data is contiguous, so a mapped
// section reads as one array. Each 64 KiB page of it has a CRC32C bound to (section, page number, offset), which
// readers check before they use the first byte of the page. The manifest holds the CRC of each footer, and the footer
// that of the page table, so a page or file of another index is detected.
//
//   header, 64 bytes: magic "SPWINDEX", u16 major, u16 minor, u32 incompatible, u32 compatible, u32 section, zeros, CRC
//   footer, 32 bytes: u64 data bytes, u32 page bytes, u32 CRC of the page table, u32 section, zeros, CRC
//
// CRCs are u32 CRC32C; those of header and footer cover the bytes before them.
#pragma once

#include <array>
#include <cstdint>

#include "io/base/byte_order.hpp"
#include "io/base/checksum.hpp"
#include "io/format/index.hpp"

namespace spillway {

// The manifest's record of a section file.
struct SectionStats {
  std::uint64_t file_bytes = 0;
  Hash128 hash{};
  std::uint32_t footer_crc = 0;
  bool operator==(const SectionStats&) const = default;
};

// Returns the CRC32C of {u32 section, u64 page number, u64 offset in the data}, to be continued over the page's bytes.
inline std::uint32_t section_page_crc(Section section, std::uint64_t page) {
  std::array<std::uint8_t, 20> place;
  store_le<std::uint32_t>(place.data(), static_cast<std::uint32_t>(section));
  store_le<std::uint64_t>(place.data() + 4, page);
  store_le<std::uint64_t>(place.data() + 12, page * kPageBytes);
  return crc32c(0, place);
}

}  // namespace spillway
