// Groups of equal neighbours in a sorted sequence, found in a bit map: bit i is set where element i equals the one
// before it. `hybrid-msd` finds the strings with equal prefixes in it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

class TieGroups {
 public:
  TieGroups(std::span<const std::uint32_t> words, std::uint32_t count) : words_(words), count_(count) {}

  static constexpr std::size_t word_count(std::size_t count) { return (count + 31) / 32; }

  // Returns the last place up to `at` where a group begins; `at` itself at the end of the sequence.
  std::uint32_t begin_of_group(std::uint32_t at) const {
    while (at != 0 && at < count_ && is_tie(at)) {
      at -= at % 32 == 31 && words_[at / 32] == ~std::uint32_t{0} ? 32 : 1;
    }
    return at;
  }

  // Calls use(begin, end) for each group of two or more elements that begins in [begin, end). Requires: every group
  // ends at or before `last`.
  template <typename Use>
  void for_each(std::uint32_t begin, std::uint32_t end, std::uint32_t last, Use use) const {
    // A group begins one element before its first tie. 64 bits, because `end` may be 2^32 - 1.
    const std::uint64_t ties_end = std::uint64_t{end} + 1;
    for (std::uint32_t tie = find(begin, ties_end, last, Look::kTie); tie <= end && tie < last;) {
      const std::uint32_t group_end = find(tie, last, last, Look::kNone);
      if (tie > begin) use(tie - 1, group_end);
      tie = find(group_end, ties_end, last, Look::kTie);
    }
  }

 private:
  enum class Look { kTie, kNone };
  bool is_tie(std::uint32_t at) const { return (words_[at / 32] >> (at % 32) & 1) != 0; }

  // Returns the first place in [from, to) that is a tie (kTie) or is none (kNone), and `last` if there is no such
  // place.
  std::uint32_t find(std::uint64_t from, std::uint64_t to, std::uint32_t last, Look look) const {
    while (from < to && from < last) {
      const std::uint32_t word = look == Look::kTie ? words_[from / 32] : ~words_[from / 32];
      const std::uint32_t rest = word >> (from % 32);
      if (rest != 0) {
        from += static_cast<std::uint32_t>(std::countr_zero(rest));
        return from < to && from < last ? static_cast<std::uint32_t>(from) : last;
      }
      from += 32 - from % 32;
    }
    return last;
  }

  std::span<const std::uint32_t> words_;
  std::uint32_t count_;
};

}  // namespace spillway
