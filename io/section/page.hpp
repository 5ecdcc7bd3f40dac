// The CRC of one page of a section: what binds its bytes to their place.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "io/base/byte_order.hpp"
#include "io/base/checksum.hpp"
#include "io/format/index.hpp"

namespace spillway {

// CRC32C of {u32 section, u64 page number, u64 offset in the data}, to be continued over the page's bytes.
inline std::uint32_t section_page_crc(Section section, std::uint64_t page) {
  std::array<std::uint8_t, 20> place;
  store_le<std::uint32_t>(place.data(), static_cast<std::uint32_t>(section));
  store_le<std::uint64_t>(place.data() + 4, page);
  store_le<std::uint64_t>(place.data() + 12, page * kPageBytes);
  return crc32c(0, place);
}

}  // namespace spillway
