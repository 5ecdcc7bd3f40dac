// Where the longest line of a text begins, for the message that it does not fit. It is found while text is read, at the
// cost of some bytes in each 32 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace spillway {

class LongestLineFinder {
 public:
  struct Found {
    std::size_t text = 0;  // its number
    std::uint64_t begin = 0, bytes = 0;
  };

  explicit LongestLineFinder(char line_end) : line_end_(line_end) {}
  // The next text begins; or goes on at `offset`, where a line begins.
  void begin_text(std::size_t number, std::uint64_t offset = 0);
  // The bytes of the text that follow those of the last call.
  void add(std::span<const std::uint8_t> bytes);
  // The last line of the text may lack its end.
  void end_text();

  // The first one of the longest lines so far. Every line of kSurelyFound bytes or more is found, and perhaps shorter
  // ones.
  static constexpr std::size_t kSurelyFound = std::size_t{64} << 10;
  const std::optional<Found>& longest() const { return longest_; }

 private:
  void end_line(std::uint64_t end);

  char line_end_;
  std::size_t number_ = 0;
  std::uint64_t offset_ = 0, line_begin_ = 0;
  bool is_long_ = false;  // the line has no end in the last bytes
  std::optional<Found> longest_;
};

}  // namespace spillway
