// gzip (RFC 1952), unpacked by zlib. A member counts as whole once zlib has compared the length and CRC of its trailer.
#pragma once

#include <zlib.h>

#include "corpora/unpack/codec.hpp"

namespace spillway {

// Whether a gzip member starts here: deflate, and no flag that the format leaves undefined.
bool is_gzip_start(std::string_view head);

class GzipCodec final : public Codec {
 public:
  static constexpr std::size_t kMemoryBytes = std::size_t{64} << 10;

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
  z_stream stream_{};
};

}  // namespace spillway
