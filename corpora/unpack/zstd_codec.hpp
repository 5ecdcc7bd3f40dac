// Zstandard (RFC 8878), unpacked by libzstd. A frame whose window needs more memory than was reserved is refused before
// it is unpacked; it is damaged if its blocks are unsound, or if no budget would do and frames before it were read. A
// file of the format .warc.zst begins with its dictionary: a skippable frame with a magic number of its own,
// 0x184D2A5D, whose content is the dictionary, as it is or as a zstd frame.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "corpora/unpack/codec.hpp"

namespace spillway {

// Whether a zstd frame, possibly a skippable one, starts here.
bool is_zstd_start(std::string_view head);

// The memory, in bytes, to unpack a frame that starts with `head`; nullopt if no frame starts here.
// Requires: Codec::kHeadBytes bytes, or all that there are.
std::optional<std::uint64_t> zstd_frame_memory(std::string_view head);

// Whether the blocks of the frame at the start of `head` follow each other up to its end, or that of `head` (RFC 8878,
// 3.1.1.2). If not, its header is damaged, and its window is not to be trusted.
bool has_sound_blocks(std::string_view head);

class ZstdCodec final : public Codec {
 public:
  static constexpr std::uint64_t kMaxWindowBytes = std::uint64_t{1} << 27;
  // Memory that libzstd needs besides the window.
  static constexpr std::uint64_t kFixedBytes = std::uint64_t{640} << 10;
  // Enough for zstd up to level 19, and for gzip: for a stream, which is recognised only when it is read.
  static constexpr std::uint64_t kStreamBytes = (std::uint64_t{8} << 20) + kFixedBytes;

  // Windows that the start of a file does not show (of streams and of later frames) get an eighth of the job's memory,
  // so that no frame takes the memory of other steps.
  static constexpr std::size_t kShareOfMemory = 8;
  static std::size_t share_of(std::size_t memory_bytes);

  // A larger dictionary is skipped; the frames that need it are broken then.
  static constexpr std::size_t kMaxDictionaryBytes = std::size_t{2} << 20;

  // `reserved_bytes`: memory that a frame may take, including kFixedBytes.
  ZstdCodec(std::string path, std::size_t reserved_bytes);
  ~ZstdCodec() override;
  ZstdCodec(const ZstdCodec&) = delete;
  ZstdCodec& operator=(const ZstdCodec&) = delete;

  bool is_start(std::string_view head) const override;
  bool is_start_in_search(std::string_view head) const override;
  bool is_padding(char) const override { return false; }
  void start_member(std::string_view head, std::uint64_t position) override;
  Step step(std::string_view in, std::span<std::uint8_t> out) override;
  bool is_proven() const override { return is_proven_; }
  std::string broken_detail() const override;
  SkipReason truncated_reason() const override { return SkipReason::kZstdTruncated; }
  SkipReason broken_reason() const override { return SkipReason::kZstdCorrupt; }

 private:
  ZSTD_DCtx* context_;
  std::string path_;
  std::size_t reserved_bytes_;
  std::size_t error_ = 0;
  Step read_dictionary(std::string_view in);
  bool load_dictionary();

  bool any_frame_ = false;
  bool is_proven_ = false;
  bool is_damaged_ = false;           // the header of this frame
  std::size_t dictionary_bytes_ = 0;  // of the frame that is being read, with its header; 0: this is no dictionary
  std::string dictionary_;
};

}  // namespace spillway
