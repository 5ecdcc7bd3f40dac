// Zstandard (RFC 8878) by libzstd: frames and skippable frames, one after the other. What a frame's window needs is
// reserved before the frame is unpacked.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "corpora/unpack/codec.hpp"
#include "io/memory_budget.hpp"

namespace spillway {

// Bytes of memory that a frame that starts with `head` asks for; nullopt where no frame starts. A head of
// Codec::kHeadBytes always suffices.
std::optional<std::uint64_t> zstd_frame_memory(std::string_view head);

class ZstdCodec final : public Codec {
 public:
  static constexpr std::uint64_t kMaxWindowBytes = std::uint64_t{1} << 27;
  // What libzstd needs beside the window.
  static constexpr std::uint64_t kFixedBytes = std::uint64_t{640} << 10;

  // `reserved_bytes` of `budget` are reserved for this already; more is asked for when a frame needs it.
  ZstdCodec(std::string path, std::size_t reserved_bytes, MemoryBudget& budget);
  ~ZstdCodec() override;
  ZstdCodec(const ZstdCodec&) = delete;
  ZstdCodec& operator=(const ZstdCodec&) = delete;

  bool is_start(std::string_view head) const override;
  bool is_start_in_search(std::string_view head) const override;
  bool is_padding(char) const override { return false; }
  void start_member(std::string_view head) override;
  Step step(std::string_view in, std::span<std::uint8_t> out) override;
  std::string broken_detail() const override;
  SkipReason truncated_reason() const override { return SkipReason::kZstdTruncated; }
  SkipReason broken_reason() const override { return SkipReason::kZstdCorrupt; }

 private:
  ZSTD_DCtx* context_;
  std::string path_;
  std::size_t reserved_bytes_;
  MemoryBudget& budget_;
  Reservation extra_;
  std::size_t error_ = 0;
};

}  // namespace spillway
