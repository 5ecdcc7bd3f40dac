// The decoders of HTTP content codings: gzip, deflate (zlib's format or none), br and zstd, by their libraries.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "corpora/http/response_head.hpp"

namespace spillway {

// The most memory that a decoder allocates: for windows of 16 MiB of br, of 8 MiB of zstd.
inline constexpr std::size_t kDecoderBytes = std::size_t{20} << 20;

class Decoder {
 public:
  enum class Status : std::uint8_t { kOpen, kEnd, kBroken, kNoMemory };
  struct Step {
    std::size_t taken, given;
    Status status;
  };
  virtual ~Decoder() = default;
  // Decodes from `in` to `out`. With an empty `in`, hands out bytes that the decoder still holds.
  virtual Step step(std::string_view in, std::span<char> out) = 0;
  // Whether all that was begun is complete: a stream, a member or a frame.
  virtual bool is_at_end() const = 0;
};

// Chooses by the first bytes of a body, at least 4 of them unless it is shorter, and by what its head says. nullptr:
// these bytes cannot have the coding. Throws std::bad_alloc.
std::unique_ptr<Decoder> make_decoder(ContentCoding coding, std::string_view start);

}  // namespace spillway
