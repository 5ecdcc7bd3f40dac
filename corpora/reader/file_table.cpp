#include "corpora/reader/file_table.hpp"

#include <algorithm>
#include <stdexcept>

#include "io/base/varint.hpp"

namespace spillway {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10;

// The byte of a file's flags: the format, the compression, and two bits.
constexpr unsigned kCompressionShift = 4;
constexpr std::uint8_t kFormatMask = 0x0F, kCompressionMask = 0x30, kStream = 0x40, kHasRange = 0x80;
static_assert(kCorpusFormatCount <= kFormatMask + 1);

std::uint8_t flags_of(const CorpusFile& file) {
  const unsigned packing = static_cast<unsigned>(file.compression) << kCompressionShift;
  const bool is_whole = file.begin == 0 && file.end == file.size;
  return static_cast<std::uint8_t>(static_cast<unsigned>(file.format) | packing | (file.is_stream ? kStream : 0U) |
                                   (is_whole ? 0U : kHasRange));
}

// Small numbers for small differences of either sign.
std::uint64_t zigzag(std::uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }
std::uint64_t unzigzag(std::uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

void put(std::vector<std::uint8_t>& to, std::uint64_t value) {
  std::uint8_t bytes[kMaxVarintBytes];
  to.insert(to.end(), bytes, write_varint(bytes, value));
}

// Requires: a varint that put() has written.
std::uint64_t take(const std::uint8_t*& from) {
  std::uint64_t value = 0;
  read_varint(&from, from + kMaxVarintBytes, &value);
  return value;
}

}  // namespace

void FileTable::encode(const CorpusFile& file, const Previous& previous, std::vector<std::uint8_t>& to) {
  const auto differ = std::mismatch(file.path.begin(), file.path.end(), previous.path.begin(), previous.path.end());
  to.clear();
  put(to, static_cast<std::uint64_t>(differ.first - file.path.begin()));
  put(to, static_cast<std::uint64_t>(file.path.end() - differ.first));
  to.insert(to.end(), differ.first, file.path.end());
  put(to, file.id_begin);
  const std::uint8_t flags = flags_of(file);
  to.push_back(flags);
  put(to, file.size);
  put(to, zigzag(static_cast<std::uint64_t>(file.modified_ns) - previous.modified_ns));
  if ((flags & kHasRange) != 0) {
    put(to, file.begin);
    put(to, file.end);
  }
  if (needs_reader(file)) put(to, file.unpack_bytes);
}

const std::uint8_t* FileTable::decode(const std::uint8_t* from, Previous& previous, CorpusFile& file) {
  const std::uint64_t shared = take(from), rest = take(from);
  previous.path.resize(shared);
  previous.path.append(reinterpret_cast<const char*>(from), rest);
  from += rest;
  file.path = previous.path;
  file.id_begin = take(from);
  const std::uint8_t flags = *from++;
  file.format = static_cast<CorpusFormat>(flags & kFormatMask);
  file.compression = static_cast<Compression>((flags & kCompressionMask) >> kCompressionShift);
  file.is_stream = (flags & kStream) != 0;
  file.size = take(from);
  previous.modified_ns += unzigzag(take(from));
  file.modified_ns = static_cast<std::int64_t>(previous.modified_ns);
  file.begin = (flags & kHasRange) != 0 ? take(from) : 0;
  file.end = (flags & kHasRange) != 0 ? take(from) : file.size;
  file.unpack_bytes = needs_reader(file) ? take(from) : 0;
  return from;
}

// `bytes`: of the file that comes first in it.
void FileTable::start_chunk(std::size_t bytes) {
  room_ = std::max(bytes, kChunkBytes);
  if (!is_whole()) return;
  chunks_.push_back({std::make_unique_for_overwrite<std::uint8_t[]>(room_), 0});
}

void FileTable::add(const CorpusFile& file) {
  ++size_;
  encode(file, previous_, encoded_);
  if (encoded_.size() > room_) {
    previous_ = {};
    encode(file, previous_, encoded_);
    start_chunk(encoded_.size());
  }
  room_ -= encoded_.size();
  memory_bytes_ += encoded_.size();
  previous_.path = file.path;
  previous_.modified_ns = static_cast<std::uint64_t>(file.modified_ns);
  if (!is_whole()) {
    chunks_.clear();
    return;
  }
  Chunk& chunk = chunks_.back();
  std::copy(encoded_.begin(), encoded_.end(), chunk.bytes.get() + chunk.used);
  chunk.used += encoded_.size();
}

FileTable::Cursor FileTable::begin() const {
  if (!is_whole()) throw std::logic_error("the table of input files is not whole");
  return Cursor(*this);
}

FileTable::Cursor& FileTable::Cursor::operator++() {
  if (chunk_ < table_->chunks_.size() && offset_ == table_->chunks_[chunk_].used) {
    ++chunk_;
    offset_ = 0;
    previous_ = {};
  }
  at_end_ = chunk_ == table_->chunks_.size();
  if (at_end_) return *this;
  const std::uint8_t* const chunk = table_->chunks_[chunk_].bytes.get();
  offset_ = static_cast<std::size_t>(decode(chunk + offset_, previous_, file_) - chunk);
  return *this;
}

}  // namespace spillway
