// `sort --output-compress zstd`: the output as one zstd frame with a checksum.
#pragma once

#include <zstd.h>

#include <vector>

#include "sort/lines/block/output.hpp"

namespace spillway {

// The output outlives it. Throws what that throws.
class ZstdOutput final : public LineOutput {
 public:
  // The compressor and its buffer take this much at the level that is used.
  static constexpr std::size_t kMemoryBytes = std::size_t{6} << 20;

  explicit ZstdOutput(LineOutput& output);
  ~ZstdOutput() override { ZSTD_freeCCtx(context_); }
  ZstdOutput(const ZstdOutput&) = delete;
  ZstdOutput& operator=(const ZstdOutput&) = delete;
  bool has_places() const override { return false; }
  void write(std::span<const std::uint8_t> bytes) override { compress(bytes, ZSTD_e_continue); }
  void write_at(std::uint64_t, std::span<const std::uint8_t> bytes) override { write(bytes); }
  // Ends the frame.
  void finish() { compress({}, ZSTD_e_end); }

 private:
  void compress(std::span<const std::uint8_t> bytes, ZSTD_EndDirective directive);

  LineOutput& output_;
  ZSTD_CCtx* context_ = ZSTD_createCCtx();
  std::vector<std::uint8_t> packed_;
};

}  // namespace spillway
