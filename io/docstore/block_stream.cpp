#include "io/docstore/block_stream.hpp"

#include <algorithm>
#include <new>

#include "io/base/byte_order.hpp"

namespace spillway {

BlockStreamWriter::BlockStreamWriter(BlockCompressor& compressor, BlockContent content, SectionWriter& data,
                                     SectionWriter& offsets, std::size_t block_bytes)
    : compressor_(compressor),
      blocks_{.block_bytes = block_bytes, .content = content, .data = &data, .offsets = &offsets},
      most_raw_bytes_(compressor.most_block_bytes() / block_bytes * block_bytes) {}

void BlockStreamWriter::append(std::string_view bytes) {
  raw_size_ += bytes.size();
  while (!bytes.empty()) {
    if (raw_.capacity() < most_raw_bytes_) raw_.reserve(most_raw_bytes_);
    const std::string_view part = bytes.substr(0, most_raw_bytes_ - raw_.size());
    raw_.insert(raw_.end(), part.begin(), part.end());
    bytes.remove_prefix(part.size());
    if (raw_.size() == most_raw_bytes_) compressor_.add(raw_, blocks_);
  }
}

void BlockStreamWriter::finish() {
  if (!raw_.empty()) compressor_.add(raw_, blocks_);
  compressor_.finish();
  blocks_.offsets->append_integer(blocks_.data->size());
  raw_ = {};
}

BlockStreamReader::BlockStreamReader(const SectionReader& data, const SectionReader& offsets, std::size_t block_bytes,
                                     std::uint64_t raw_size)
    : data_(data), offsets_(offsets), block_bytes_(block_bytes), raw_size_(raw_size) {
  const std::uint64_t entries = offsets.size() / 8;
  if (offsets.size() % 8 != 0 || entries == 0 ||
      raw_size / block_bytes + (raw_size % block_bytes != 0 ? 1 : 0) != entries - 1) {
    offsets.fail(offsets.size(), "the offsets of " + std::to_string(raw_size) + " raw bytes and of the end",
                 std::to_string(entries) + " offsets");
  }
}

void BlockStreamReader::load(std::uint64_t block, Cache& cache) const {
  if (cache.block == block) return;
  cache.block = ~std::uint64_t{0};
  const std::uint8_t* entry = offsets_.at(block * 8, 16);
  const auto begin = load_le<std::uint64_t>(entry), end = load_le<std::uint64_t>(entry + 8);
  const std::uint64_t raw_bytes = std::min<std::uint64_t>(block_bytes_, raw_size_ - block * block_bytes_);
  if (end < begin || end - begin > raw_bytes || (block == 0 && begin != 0)) {
    offsets_.fail(block * 8, "a block of at most " + std::to_string(raw_bytes) + " bytes",
                  std::to_string(begin) + " to " + std::to_string(end));
  }
  const std::uint8_t* stored = data_.at(begin, end - begin);
  cache.raw.resize(raw_bytes);
  if (end - begin == raw_bytes) {
    std::copy(stored, stored + raw_bytes, cache.raw.begin());
  } else {
    if (cache.context == nullptr) cache.context.reset(ZSTD_createDCtx());
    if (cache.context == nullptr) throw std::bad_alloc();
    const std::size_t size = ZSTD_decompressDCtx(cache.context.get(), cache.raw.data(), raw_bytes, stored, end - begin);
    if (size != raw_bytes) {
      data_.fail(begin, "a zstd frame of " + std::to_string(raw_bytes) + " bytes",
                 ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : std::to_string(size));
    }
  }
  cache.block = block;
}

std::string BlockStreamReader::read(std::uint64_t offset, std::uint64_t bytes, Cache& cache) const {
  if (offset > raw_size_ || bytes > raw_size_ - offset) {
    data_.fail(data_.size(), std::to_string(bytes) + " raw bytes at " + std::to_string(offset),
               std::to_string(raw_size_) + " in all");
  }
  std::string text;
  while (bytes != 0) {
    load(offset / block_bytes_, cache);
    const std::uint64_t at = offset % block_bytes_;
    const std::uint64_t part = std::min<std::uint64_t>(bytes, cache.raw.size() - at);
    text.append(reinterpret_cast<const char*>(cache.raw.data()) + at, part);
    offset += part;
    bytes -= part;
  }
  return text;
}

}  // namespace spillway
