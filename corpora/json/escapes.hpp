// Finds the escapes in a JSON string, 64 bytes at a time.
#pragma once

#include <cstdint>

namespace spillway {

// Masks of a block of 64 bytes: bit i stands for byte i.
struct BlockEscapes {
  std::uint64_t escaping;  // backslashes that begin an escape
  std::uint64_t escaped;   // the bytes after them
};

// Inlined into code for each instruction set.
class EscapeFinder {
 public:
  // Takes the backslashes of the next block. Every other one of a consecutive series escapes: the carry of a
  // subtraction finds them (Langdale and Lemire 2019, section 3.1.1).
  [[gnu::always_inline]] BlockEscapes next(std::uint64_t backslashes) {
    constexpr std::uint64_t kOdd = 0xAAAAAAAAAAAAAAAAULL;
    const std::uint64_t openers = backslashes & ~first_escaped_;
    const std::uint64_t after = ((openers << 1 | kOdd) - openers) ^ kOdd;
    const BlockEscapes escapes{after & backslashes, after ^ (backslashes | first_escaped_)};
    first_escaped_ = escapes.escaping >> 63;
    return escapes;
  }
  // The next block begins outside of an escape, wherever the last one ended.
  [[gnu::always_inline]] void restart() { first_escaped_ = 0; }

 private:
  std::uint64_t first_escaped_ = 0;  // 1: a backslash before the block escapes its first byte
};

}  // namespace spillway
