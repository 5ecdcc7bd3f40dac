// gzip (RFC 1952). A member that is in memory as a whole, as records of crawls are, is unpacked by libdeflate, which is
// more than twice as fast; longer and damaged ones by zlib, piece by piece. A member counts as whole once the length
// and CRC of its trailer were compared.
#pragma once

#include <libdeflate.h>
#include <zlib.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "corpora/unpack/codec.hpp"
#include "corpora/unpack/gzip_ahead.hpp"

namespace spillway {

class GzipCodec final : public Codec {
 public:
  static constexpr std::size_t kHeldBytes = GzipAhead::kHeldBytes;  // of an unpacked member
  static constexpr std::size_t kMemoryBytes = (std::size_t{96} << 10) + kHeldBytes;

  // Lets threads unpack members ahead, from this place of the file on; nullptr if none can. The codec closes it.
  using StartAhead = std::function<std::shared_ptr<GzipAhead>(std::uint64_t begin)>;

  // `start_ahead` is called once the input has proved to consist of members that are unpacked as a whole; it may be
  // empty.
  explicit GzipCodec(StartAhead start_ahead = {});
  ~GzipCodec() override;
  GzipCodec(const GzipCodec&) = delete;
  GzipCodec& operator=(const GzipCodec&) = delete;

  bool is_start(std::string_view head) const override;
  bool is_start_in_search(std::string_view head) const override { return is_start(head); }
  bool is_padding(char byte) const override { return byte == '\0'; }
  void start_member(std::string_view head, std::uint64_t position) override;
  const SharedMember* offer(std::uint64_t position) override;
  Step step(std::string_view in, std::span<std::uint8_t> out) override;
  std::string broken_detail() const override;
  SkipReason truncated_reason() const override { return SkipReason::kGzipTruncated; }
  SkipReason broken_reason() const override { return SkipReason::kGzipCorrupt; }

 private:
  bool unpack_whole(std::string_view in);

  z_stream stream_{};
  libdeflate_decompressor* decompressor_;
  std::vector<std::uint8_t> held_;
  std::span<const std::uint8_t> whole_member_;  // in held_
  std::size_t member_bytes_ = 0;                // as stored
  StartAhead start_ahead_;
  std::shared_ptr<GzipAhead> ahead_;
  // What ahead_ said of the last two places: the reader may ask again.
  struct Asked {
    std::uint64_t position;
    std::optional<SharedMember> member;
  };
  std::deque<Asked> asked_;
  unsigned whole_members_ = 0;  // before others are unpacked ahead
  bool at_start_ = false;       // of a member that may be unpacked as a whole
  bool is_damaged_ = false;     // the last member was broken: what looks like members now may be none
};

}  // namespace spillway
