#include "io/run/block_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/run/layout.hpp"

namespace spillway {

using namespace run_layout;

RunBlockReader::RunBlockReader(const RunReader& run, std::uint8_t kind, std::uint64_t offset, std::uint64_t number)
    : run_(run), kind_(kind), offset_(offset), next_offset_(offset), next_number_(number) {}

RunBlockReader::~RunBlockReader() {
  if (kind_ == kTermBlock && buffer_.size() == full_buffer_bytes()) run_.spare_buffers().leave(std::move(buffer_));
}

std::size_t RunBlockReader::full_buffer_bytes() const { return kBlockHeaderBytes + run_.block_bytes(); }

void RunBlockReader::fail(const std::string& expected, const std::string& found) const {
  throw_damaged(run_.file().path(), offset_, expected, found);
}

// Returns the next bytes of the file: in place if the file is in memory, otherwise in the buffer.
const std::uint8_t* RunBlockReader::ensure(std::size_t bytes) {
  if (const auto in_memory = run_.file().view(next_offset_, bytes); !in_memory.empty()) return in_memory.data();
  if (buffer_end_ - buffer_begin_ < bytes) {
    // Reads no more than requested from a file in memory, and of blocks that are skipped.
    const bool is_in_memory = !run_.file().view(next_offset_, 1).empty();
    const std::size_t most = skipping_ || is_in_memory ? bytes : full_buffer_bytes();
    if (buffer_.empty() && most == full_buffer_bytes() && kind_ == kTermBlock) buffer_ = run_.spare_buffers().take();
    if (buffer_.size() < most) buffer_.resize(most);
    std::memmove(buffer_.data(), buffer_.data() + buffer_begin_, buffer_end_ - buffer_begin_);
    buffer_end_ -= buffer_begin_;
    buffer_begin_ = 0;
    const auto target = static_cast<std::size_t>(std::min<std::uint64_t>(most, run_.blocks_end() - next_offset_));
    run_.file().read_exactly(next_offset_ + buffer_end_, {buffer_.data() + buffer_end_, target - buffer_end_});
    buffer_end_ = target;
  }
  return buffer_.data() + buffer_begin_;
}

void RunBlockReader::move_past(std::size_t bytes) {
  next_offset_ += bytes;
  ++next_number_;
  const std::size_t held = buffer_end_ - buffer_begin_;
  buffer_begin_ = held < bytes ? 0 : buffer_begin_ + bytes;
  if (held < bytes) buffer_end_ = 0;
}

void RunBlockReader::read_header() {
  if (run_.blocks_end() - next_offset_ < kBlockHeaderBytes) {
    fail("a block header", std::to_string(run_.blocks_end() - next_offset_) + " bytes before the footer");
  }
  const std::uint8_t* bytes = ensure(kBlockHeaderBytes);
  header_.crc = crc32c(block_seed(run_.header_crc(), next_number_, next_offset_), {bytes, kBlockCrcAt});
  if (header_.crc != load_le<std::uint32_t>(bytes + kBlockCrcAt)) {
    fail("the header of block " + std::to_string(next_number_) + " of this run", "another checksum");
  }
  header_.kind = bytes[kKindAt];
  header_.bytes = load_le<std::uint32_t>(bytes + kStoredAt);
  header_.count = load_le<std::uint32_t>(bytes + kCountAt);
  header_.payload_crc = load_le<std::uint32_t>(bytes + kPayloadCrcAt);
  if (load_le<std::uint16_t>(bytes + kBlockReservedAt) != 0) fail("reserved bytes of 0", "other values");
  if (header_.kind != kTermBlock && header_.kind != kDocumentBlock &&
      (header_.kind != kTextBlock || !run_.identity().has_texts)) {
    fail(run_.identity().has_texts ? "a term, document or text block" : "a term or document block",
         "kind " + std::to_string(header_.kind));
  }
  if (bytes[kCodecAt] != kStoredAsIs) fail("codec 0", "codec " + std::to_string(bytes[kCodecAt]));
  if (header_.bytes == 0 || header_.bytes > run_.block_bytes()) {
    fail("a block of 1 to " + std::to_string(run_.block_bytes()) + " bytes", std::to_string(header_.bytes));
  }
  if (load_le<std::uint32_t>(bytes + kRawAt) != header_.bytes ||
      header_.bytes > run_.blocks_end() - next_offset_ - kBlockHeaderBytes) {
    fail("stored bytes that fit the block and the run", std::to_string(header_.bytes));
  }
}

void RunBlockReader::load_payload() {
  payload_ = {ensure(kBlockHeaderBytes + header_.bytes) + kBlockHeaderBytes, header_.bytes};
  if (crc32c(header_.crc, payload_) != header_.payload_crc) fail("the block's payload", "another checksum");
}

bool RunBlockReader::next() {
  while (next_offset_ != run_.blocks_end()) {
    offset_ = next_offset_;
    read_header();
    skipping_ = header_.kind != kind_;
    if (!skipping_) load_payload();
    move_past(kBlockHeaderBytes + header_.bytes);
    if (!skipping_) return true;
  }
  offset_ = next_offset_;
  if (next_number_ != run_.block_count()) {
    fail(std::to_string(run_.block_count()) + " blocks", std::to_string(next_number_));
  }
  return false;
}

}  // namespace spillway
