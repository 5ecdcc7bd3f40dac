// The term cursors of all inputs as one sequence of entries in (term, input) order. All inputs that have the least term
// are found together: by the first 8 bytes of their terms, then by 8 more and the length. The text is compared only
// where these agree.
//
// Time: inputs / 64 vector scans a term and O(1) an entry, plus text comparisons where terms share 16 bytes. Memory:
// one cursor and 36 bytes an input.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "merge/cursor/term_starts.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

// Not thread-safe.
class TermMergeCursor {
 public:
  // Entries as MergeInput::terms() or, for callers that do not decode them, as MergeInput::whole_terms() gives them.
  enum class Entries { kCut, kWhole };

  // Over the terms first <= term < last; an empty `last` means no upper bound. The inputs live longer.
  TermMergeCursor(std::span<const MergeInput* const> inputs, const std::string& first, const std::string& last,
                  Entries entries = Entries::kCut);

  bool done() const { return of_term_.empty(); }
  std::size_t input() const { return of_term_[at_]; }
  // The current entry, of input(). Its views live until advance().
  const RunEntry& entry() const { return cursors_[of_term_[at_]]->entry(); }
  // Moves to the next entry; returns whether it has the same term.
  bool advance();

  // Before the first advance() at a term: the inputs that have it, in order, and the entry of each.
  std::span<const std::uint32_t> inputs() const { return of_term_; }
  const RunEntry& entry(std::size_t input) const { return cursors_[input]->entry(); }
  // Returns whether each of these entries is known to be the last of the term in its input. Then advance_term() moves
  // to the next term.
  bool are_whole() const;
  void advance_term();

 private:
  // byte_prefix of the terms of 64 inputs; all ones for an input that has ended, and for places without an input.
  struct alignas(64) Starts : std::array<std::uint64_t, kTermStarts> {};
  // Orders terms that share their first 8 bytes; leaves open only the order of longer terms that share 16.
  struct Rest {
    std::uint64_t next;   // byte_prefix from byte 8 on
    std::uint64_t bytes;  // length of the term, at most kMoreBytes; kDone after the last term
    bool operator==(const Rest&) const = default;
    bool operator<(const Rest& other) const { return next < other.next || (next == other.next && bytes < other.bytes); }
  };
  static constexpr std::uint64_t kMoreBytes = 17, kDone = kMoreBytes + 1;
  static Rest rest_of(std::string_view term);

  bool move(std::size_t input);
  bool is_of_term(std::uint64_t start, const Rest& rest, std::string_view term) const;
  void set(std::size_t input, std::uint64_t start, const Rest& rest);
  void begin_term();
  int compare(std::size_t a, std::size_t b) const;
  void collect(std::size_t input);

  std::vector<std::unique_ptr<TermCursor>> cursors_;
  std::vector<Starts> starts_;               // input i: in starts_[i / kTermStarts]
  std::vector<std::uint64_t> least_starts_;  // minimum of each Starts
  std::vector<Rest> rests_;
  // The inputs that have the least term, in order; those before at_ have moved on.
  std::vector<std::uint32_t> of_term_;
  std::size_t at_ = 0;
  std::uint64_t start_ = 0;  // of the least term
  Rest rest_{};
  std::string term_;  // set only if rest_.bytes == kMoreBytes
};

}  // namespace spillway
