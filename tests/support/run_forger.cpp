#include "tests/support/run_forger.hpp"

#include <algorithm>

#include "io/run/layout.hpp"

namespace spillway::testing {

using namespace run_layout;

std::vector<std::uint8_t> all_bytes(const ReadableFile& file) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(file.size()));
  file.read_exactly(0, bytes);
  return bytes;
}

RunForger::RunForger(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
  const std::uint8_t* trailer = bytes_.data() + bytes_.size() - kTrailerBytes;
  footer_offset_ = static_cast<std::size_t>(load_le<std::uint64_t>(trailer + kFooterOffsetAt));
  for (std::size_t at = kHeaderBytes; at < footer_offset_;) {
    const std::uint8_t* header = bytes_.data() + at;
    const std::size_t stored_bytes = load_le<std::uint32_t>(header + kStoredAt);
    blocks_.push_back({blocks_.size(), at, stored_bytes, header[kKindAt] == kTermBlock});
    at += kBlockHeaderBytes + stored_bytes;
  }
}

void RunForger::seal_header() {
  store_le(bytes_.data() + kHeaderCrcAt, crc32c(0, {bytes_.data(), kHeaderCrcAt}));
  for (const Block& block : blocks_) seal_block(block);
  seal_footer();
  seal_trailer();
}

void RunForger::seal_block(const Block& block) {
  const auto header_crc = load_le<std::uint32_t>(bytes_.data() + kHeaderCrcAt);
  std::uint8_t* header = bytes_.data() + block.offset;
  const std::uint32_t crc = crc32c(block_seed(header_crc, block.number, block.offset), {header, kBlockCrcAt});
  store_le(header + kBlockCrcAt, crc);
  store_le(header + kPayloadCrcAt, crc32c(crc, {header + kBlockHeaderBytes, block.stored_bytes}));
}

void RunForger::seal_footer() {
  const auto header_crc = load_le<std::uint32_t>(bytes_.data() + kHeaderCrcAt);
  std::uint8_t* footer = bytes_.data() + footer_offset_;
  const std::size_t crc_at = bytes_.size() - kTrailerBytes - footer_offset_ - 4;
  store_le(footer + crc_at, crc32c(footer_seed(header_crc, footer_offset_), {footer, crc_at}));
}

void RunForger::seal_trailer() {
  const auto header_crc = load_le<std::uint32_t>(bytes_.data() + kHeaderCrcAt);
  std::uint8_t* trailer = bytes_.data() + bytes_.size() - kTrailerBytes;
  store_le(trailer + kTrailerCrcAt, crc32c(header_crc, {trailer, kTrailerCrcAt}));
}

}  // namespace spillway::testing
