// Where lines end. The widest vector instructions of the CPU are chosen at run time; all paths give the same results.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

// Text that is searched at once, and numbers that must be writable after those that are found.
inline constexpr std::size_t kLineEndText = 4096, kLineEndPadding = 64;
using LineEnds = std::array<std::uint16_t, kLineEndText + kLineEndPadding>;

struct LineEndKernel {
  const char* name;  // sse2, avx512
  // Writes the offsets of all bytes `line_end` in the text, ascending, and returns their number. Requires: bytes <=
  // kLineEndText. Reads no byte outside [text, text + bytes).
  std::size_t (*find)(const std::uint8_t* text, std::size_t bytes, char line_end, LineEnds& ends);
  // Counts them, in a text of any length.
  std::size_t (*count)(const std::uint8_t* text, std::size_t bytes, char line_end);
};

// The fastest kernel that this CPU can run.
const LineEndKernel& line_end_kernel();
// All that this CPU can run: for tests and benchmarks.
std::span<const LineEndKernel> all_line_end_kernels();

// Calls take(end) for each line end in [from, to), in order.
template <typename Take>
void for_each_line_end(const std::uint8_t* from, const std::uint8_t* to, char line_end, const Take& take) {
  const auto find = line_end_kernel().find;
  LineEnds ends;
  for (std::size_t bytes = 0; from != to; from += bytes) {
    bytes = std::min(kLineEndText, static_cast<std::size_t>(to - from));
    const std::size_t count = find(from, bytes, line_end, ends);
    for (std::size_t i = 0; i != count; ++i) take(from + ends[i]);
  }
}

}  // namespace spillway
