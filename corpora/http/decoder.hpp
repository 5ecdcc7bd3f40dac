// The decoders of HTTP content codings: gzip, deflate (zlib's format or none), br and zstd, by their libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/http/response_head.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

// The most memory that all decoders of a body allocate together: 16 MiB are the largest window of br, and at most 3 MiB
// its tables. A window of 8 MiB of zstd needs 9 MiB.
inline constexpr std::size_t kBodyDecoderBytes = std::size_t{20} << 20;

// How br gets memory for its window.
enum class WindowMemory : std::uint8_t {
  kGrowing,  // as much as the body needs; while it grows, half as much again
  kWhole
};

struct DecoderLimit {
  std::size_t bytes = kBodyDecoderBytes;
  WindowMemory windows = WindowMemory::kWhole;
};

// The memory of the decoders of a body, with a limit. Outlives them. Long blocks are mapped: the system has them back
// as soon as they are freed, where malloc() would keep them for the thread.
class DecoderMemory {
 public:
  explicit DecoderMemory(const DecoderLimit& limit) : limit_(limit) {}
  DecoderMemory(const DecoderMemory&) = delete;
  DecoderMemory& operator=(const DecoderMemory&) = delete;
  // Returns nullptr beyond the limit, and where the system has no memory.
  void* allocate(std::size_t bytes) noexcept;
  void free(void* address) noexcept;
  // Whether anything was refused so far. If not, a higher limit would have changed nothing.
  bool refused() const { return refused_; }
  // Throws std::bad_alloc if the system had no memory for an allocation: then what a decoder says of its input is
  // wrong.
  void check_system() const {
    if (lacked_memory_) throw std::bad_alloc();
  }
  std::size_t used_bytes() const { return used_bytes_; }
  std::size_t peak_bytes() const { return peak_bytes_; }
  WindowMemory windows() const { return limit_.windows; }

 private:
  static constexpr std::size_t kHeaderBytes = alignof(std::max_align_t);
  static constexpr std::size_t kMappedBytes = std::size_t{128} << 10;  // the least that is mapped, as by malloc()
  void* take_block(std::size_t bytes);
  const DecoderLimit limit_;
  std::size_t used_bytes_ = 0, peak_bytes_ = 0;
  bool refused_ = false, lacked_memory_ = false;
  std::vector<Buffer> mapped_;
};

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
// these bytes cannot have the coding. A decoder for which `memory` has no room says so at its first step. Throws
// std::bad_alloc.
std::unique_ptr<Decoder> make_decoder(ContentCoding coding, std::string_view start, DecoderMemory& memory);

}  // namespace spillway
