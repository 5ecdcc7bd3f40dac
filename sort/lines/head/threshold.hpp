// The last line that may be among the first lines of a sort (`sort --head`). Lines that come after it are not sorted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sort/lines/keys/key_encoder.hpp"

namespace spillway {

// How much of the sorted lines is wanted.
struct LineHead {
  std::uint64_t count = 0;  // of lines, or of groups of lines with equal keys, whose lines are all wanted
  bool counts_groups = false;
};

// excludes() is thread-safe. Order and encoder outlive it.
class HeadThreshold {
 public:
  HeadThreshold(const LineOrder& order, const KeyEncoder& encoder, bool keeps_equal)
      : encoder_(encoder),
        is_descending_(order.is_descending()),
        breaks_ties_(order.breaks_ties()),
        keeps_equal_(keeps_equal) {}

  bool is_set() const { return is_set_; }
  // Copies what is compared of the line. O(line).
  void set(std::string_view line);
  // Whether a line that stands later in the input than that of set() comes after it in the output, or is one of its
  // group, unless these are kept. Requires: is_set(). O(line).
  bool excludes(std::string_view line) const;

 private:
  std::string_view key_of(std::string_view line, std::string& encoded) const;

  const KeyEncoder& encoder_;
  bool is_descending_, breaks_ties_, keeps_equal_, is_set_ = false;
  std::string key_, line_;
  std::uint64_t begin_ = 0;  // of the key, as begin_of() tells it
};

}  // namespace spillway
