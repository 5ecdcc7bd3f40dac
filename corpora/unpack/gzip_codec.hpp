// gzip (RFC 1952). A member that is in memory as a whole, as records of crawls are, is unpacked by libdeflate, which is
// more than twice as fast; longer and damaged ones by zlib, piece by piece. A member counts as whole once the length
// and CRC of its trailer were compared.
#pragma once

#include <libdeflate.h>
#include <zlib.h>

#include <vector>

#include "corpora/unpack/codec.hpp"

namespace spillway {

// Whether a gzip member starts here: deflate, and no flag that the format leaves undefined.
bool is_gzip_start(std::string_view head);

class GzipCodec final : public Codec {
 public:
  static constexpr std::size_t kHeldBytes = std::size_t{384} << 10;  // of an unpacked member
  static constexpr std::size_t kMemoryBytes = (std::size_t{96} << 10) + kHeldBytes;

  GzipCodec();
  ~GzipCodec() override;
  GzipCodec(const GzipCodec&) = delete;
  GzipCodec& operator=(const GzipCodec&) = delete;

  bool is_start(std::string_view head) const override;
  bool is_start_in_search(std::string_view head) const override { return is_start(head); }
  bool is_padding(char byte) const override { return byte == '\0'; }
  void start_member(std::string_view head) override;
  Step step(std::string_view in, std::span<std::uint8_t> out) override;
  std::string broken_detail() const override;
  SkipReason truncated_reason() const override { return SkipReason::kGzipTruncated; }
  SkipReason broken_reason() const override { return SkipReason::kGzipCorrupt; }

 private:
  bool unpack_whole(std::string_view in);
  Step hand_out(std::size_t taken, std::span<std::uint8_t> out);

  z_stream stream_{};
  libdeflate_decompressor* whole_;
  std::vector<std::uint8_t> held_;  // a whole member
  std::size_t held_begin_ = 0, held_end_ = 0, member_bytes_ = 0;
  bool at_start_ = false;    // of a member that may be unpacked as a whole
  bool is_damaged_ = false;  // the last member was broken: what looks like members now may be none
};

}  // namespace spillway
