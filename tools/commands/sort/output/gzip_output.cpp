#include "tools/commands/sort/output/gzip_output.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace spillway {

namespace {

constexpr int kGzipWindow = 15 + 16;  // 32 KiB, and a gzip header
constexpr int kMemoryLevel = 8;       // 256 KiB, the usual one
constexpr std::size_t kPackedBytes = std::size_t{256} << 10;

}  // namespace

GzipOutput::GzipOutput(LineOutput& output) : output_(output), packed_(kPackedBytes) {
  const int result =
      deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY);
  if (result != Z_OK) throw std::bad_alloc();
}

void GzipOutput::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto some = bytes.first(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
    compress(some, Z_NO_FLUSH);
    bytes = bytes.subspan(some.size());
  }
}

void GzipOutput::compress(std::span<const std::uint8_t> bytes, int flush) {
  stream_.next_in = const_cast<Bytef*>(bytes.data());  // which zlib does not change
  stream_.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_.next_out = packed_.data();
    stream_.avail_out = static_cast<uInt>(packed_.size());
    deflate(&stream_, flush);
    const std::size_t made = packed_.size() - stream_.avail_out;
    if (made != 0) output_.write(std::span(packed_).first(made));
  } while (stream_.avail_out == 0);
}

}  // namespace spillway
