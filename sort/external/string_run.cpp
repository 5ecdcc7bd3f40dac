#include "sort/external/string_run.hpp"

#include <algorithm>
#include <cstring>

#include "io/base/byte_order.hpp"
#include "io/base/bytes.hpp"
#include "io/base/checksum.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

constexpr std::size_t kHeaderBytes = 8;

std::uint32_t block_crc(std::uint64_t number, std::span<const std::uint8_t> payload) {
  std::uint8_t place[16];
  store_le<std::uint64_t>(place, number);
  store_le<std::uint64_t>(place + 8, payload.size());
  return crc32c(crc32c(0, place), payload);
}

}  // namespace

StringRunWriter::StringRunWriter(WritableFile& file, std::span<std::uint8_t> block, std::span<std::uint8_t> text)
    : file_(file), block_(block), text_(text), used_(kHeaderBytes) {}

void StringRunWriter::add(std::string_view text, std::uint32_t number) {
  const std::size_t shared = shared_bytes({reinterpret_cast<const char*>(text_.data()), text_bytes_}, text);
  std::uint8_t head[3 * kMaxVarintBytes];
  std::uint8_t* end = write_varint(head, shared);
  end = write_varint(end, text.size() - shared);
  end = write_varint(end, number);
  append({head, end});
  text_bytes_ = text.size();
  if (shared != text.size()) {
    append({reinterpret_cast<const std::uint8_t*>(text.data()) + shared, text.size() - shared});
    std::memcpy(text_.data() + shared, text.data() + shared, text.size() - shared);
  }
  ++count_;
}

void StringRunWriter::append(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    if (used_ == block_.size()) write_block();
    const std::size_t part = std::min(bytes.size(), block_.size() - used_);
    std::memcpy(block_.data() + used_, bytes.data(), part);
    used_ += part;
    bytes = bytes.subspan(part);
  }
}

void StringRunWriter::write_block() {
  const std::size_t bytes = used_ - kHeaderBytes;
  store_le<std::uint32_t>(block_.data(), static_cast<std::uint32_t>(bytes));
  store_le<std::uint32_t>(block_.data() + 4, block_crc(block_number_++, block_.subspan(kHeaderBytes, bytes)));
  file_.append(block_.first(used_));
  used_ = kHeaderBytes;
}

void StringRunWriter::finish() {
  if (used_ != kHeaderBytes) write_block();
}

StringRunReader::StringRunReader(const ReadableFile& file, std::uint64_t count, std::span<std::uint8_t> block,
                                 std::span<std::uint8_t> text)
    : file_(file), block_(block), text_(text), left_(count) {}

void StringRunReader::fail(const std::string& expected) const {
  throw FormatError(file_.path() + ": block before offset " + std::to_string(offset_) + ": expected " + expected +
                    ", found something else: the scratch disk is not to be trusted, choose another with --temp-dir");
}

void StringRunReader::load_block() {
  std::uint8_t header[kHeaderBytes];
  file_.read_exactly(offset_, header);
  const std::uint32_t bytes = load_le<std::uint32_t>(header);
  if (bytes == 0 || bytes > block_.size()) fail("a block of at most " + std::to_string(block_.size()) + " bytes");
  const std::span<std::uint8_t> payload = block_.first(bytes);
  file_.read_exactly(offset_ + kHeaderBytes, payload);
  offset_ += kHeaderBytes + bytes;
  if (block_crc(block_number_++, payload) != load_le<std::uint32_t>(header + 4)) fail("the checksum of its header");
  at_ = payload.data();
  end_ = at_ + bytes;
}

std::uint64_t StringRunReader::read_number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (at_ == end_) load_block();
    const std::uint64_t byte = *at_++;
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  fail("a number of 32 bits");
}

void StringRunReader::read_suffix(std::uint8_t* to, std::size_t bytes) {
  while (bytes != 0) {
    if (at_ == end_) load_block();
    const std::size_t part = std::min(bytes, static_cast<std::size_t>(end_ - at_));
    std::memcpy(to, at_, part);
    at_ += part;
    to += part;
    bytes -= part;
  }
}

bool StringRunReader::next() {
  if (left_ == 0) return false;
  --left_;
  const std::uint64_t shared = read_number(), suffix = read_number(), number = read_number();
  if (shared > text_bytes_ || suffix > text_.size() - shared) {
    fail("a string of at most " + std::to_string(text_.size()) + " bytes");
  }
  read_suffix(text_.data() + shared, suffix);
  text_bytes_ = shared + suffix;
  number_ = static_cast<std::uint32_t>(number);
  return true;
}

}  // namespace spillway
