// Unpacks the pages of Parquet files.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace spillway {

enum class ParquetCodec { kNone, kGzip, kZstd, kSnappy, kBrotli };

// One for each thread.
class PageUnpacker {
 public:
  PageUnpacker();
  ~PageUnpacker();
  PageUnpacker(const PageUnpacker&) = delete;
  PageUnpacker& operator=(const PageUnpacker&) = delete;

  // Fills `raw` with what `stored` holds. Returns false if that is damaged or has another size.
  bool unpack(ParquetCodec codec, std::span<const std::uint8_t> stored, std::span<std::uint8_t> raw);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace spillway
