// `sort --output-compress gzip`: the output as one gzip member.
#pragma once

#include <zlib.h>

#include <vector>

#include "sort/lines/block/output.hpp"

namespace spillway {

// The output outlives it. Throws what that throws.
class GzipOutput final : public LineOutput {
 public:
  // The compressor and its buffer take less than this.
  static constexpr std::size_t kMemoryBytes = std::size_t{1} << 20;

  explicit GzipOutput(LineOutput& output);
  ~GzipOutput() override { deflateEnd(&stream_); }
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;
  bool has_places() const override { return false; }
  bool is_full() const override { return output_.is_full(); }
  void write(std::span<const std::uint8_t> bytes) override;
  void write_at(std::uint64_t, std::span<const std::uint8_t> bytes) override { write(bytes); }
  // Ends the member.
  void finish() { compress({}, Z_FINISH); }

 private:
  void compress(std::span<const std::uint8_t> bytes, int flush);

  LineOutput& output_;
  z_stream stream_{};
  std::vector<std::uint8_t> packed_;
};

}  // namespace spillway
