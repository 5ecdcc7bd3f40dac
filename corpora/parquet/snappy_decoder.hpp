// Unpacks a page of Snappy in steps, so that a large one need not be in memory as a whole (page_pieces.hpp); the format
// is https://github.com/google/snappy/blob/main/format_description.txt.
//
// Debian's libsnappy 1.1.9 unpacks whole pages only, at 1.2 GB/s of RFCs on one core of an AMD EPYC; this takes a
// literal and a copy by the same instructions, without a branch that the processor must guess, and has 1.9 GB/s.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

// Not thread-safe. O(n) in the unpacked bytes; needs no memory of its own.
class SnappyDecoder {
 public:
  enum class State {
    kUsual,
    kDamaged,
    kTooFar,  // a copy reaches back before the memory that unpack() was given
  };
  // Copies that Google's library writes reach back no further.
  static constexpr std::size_t kUsualReach = std::size_t{64} << 10;
  static constexpr std::size_t kMostCopy = 64;

  // `stored` must outlive this object.
  explicit SnappyDecoder(std::span<const std::uint8_t> stored);

  // The length that the page gives for itself.
  std::size_t raw_bytes() const { return raw_bytes_; }
  State state() const { return state_; }
  // Whether all was unpacked, and has the length.
  bool is_done() const;

  // Writes the next bytes of the page to [at, end) of `memory`, in which the bytes of the page that precede them end at
  // `at`. Returns the end of what it wrote, which is `end`, less than kMostCopy before it, or that of the page; the
  // bytes from there to `end` may change. Stops where the state changes.
  std::size_t unpack(std::uint8_t* memory, std::size_t at, std::size_t end);

 private:
  std::uint8_t* take_short(const std::uint8_t* memory, std::uint8_t* to, const std::uint8_t* end);
  bool take_one(const std::uint8_t* memory, std::uint8_t*& to, const std::uint8_t* end);
  bool begin_literal();
  bool take_copy(const std::uint8_t* memory, std::uint8_t*& to, const std::uint8_t* end);
  bool stop(State state);

  std::span<const std::uint8_t> rest_;
  std::size_t raw_bytes_ = 0, made_ = 0;
  std::uint64_t literal_left_ = 0;  // bytes of a literal that did not fit
  State state_ = State::kUsual;
};

}  // namespace spillway
