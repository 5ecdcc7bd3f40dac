// Zstandard (RFC 8878) by libzstd: frames and skippable frames, one after the other. A frame whose window needs more
// than was reserved is refused before it is unpacked.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "corpora/unpack/codec.hpp"

namespace spillway {

// Bytes of memory that a frame that starts with `head` asks for; nullopt where no frame starts. A head of
// Codec::kHeadBytes always suffices.
std::optional<std::uint64_t> zstd_frame_memory(std::string_view head);

class ZstdCodec final : public Codec {
 public:
  static constexpr std::uint64_t kMaxWindowBytes = std::uint64_t{1} << 27;
  // What libzstd needs beside the window.
  static constexpr std::uint64_t kFixedBytes = std::uint64_t{640} << 10;

  // Windows that only show on the way (of streams, and of frames behind the first one) get an eighth of the
  // job's memory, so that no frame takes what other steps count on; never more than any frame may ask for.
  static constexpr std::size_t kShareOfMemory = 8;
  static std::size_t share_of(std::size_t memory_bytes);

  // `reserved_bytes`: what frames may take, kFixedBytes included.
  ZstdCodec(std::string path, std::size_t reserved_bytes);
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
  std::size_t error_ = 0;
};

}  // namespace spillway
