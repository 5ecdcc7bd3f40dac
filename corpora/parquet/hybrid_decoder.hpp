// Parquet's hybrid of runs and bit-packed groups, in which levels and dictionary indices are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

class HybridDecoder {
 public:
  HybridDecoder() = default;
  // `width`: bits of a value, at most 32.
  HybridDecoder(std::span<const std::uint8_t> bytes, unsigned width);

  // Fills `out`. Returns false if the bytes end before. O(out.size()).
  bool read(std::span<std::uint32_t> out);

 private:
  bool begin_run();
  void unpack(std::span<std::uint32_t> out);

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  unsigned width_ = 0;
  std::uint64_t left_ = 0;  // values of the open run
  bool is_packed_ = false;
  std::uint32_t value_ = 0;               // of a run that repeats it
  const std::uint8_t* packed_ = nullptr;  // the bits of packed values
  std::uint64_t bit_ = 0;                 // of the next one
};

}  // namespace spillway
