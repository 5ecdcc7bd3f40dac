// The term cursors of a merge as one sequence in (term, input) order. The inputs of a term are found together, by the
// first 8 bytes of all inputs' terms, then by 8 more and the length; the text is compared only where these agree.
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

// Holds one cursor per input, over the terms first <= term < last (empty last: to the end). Not thread-safe.
class TermMergeCursor {
 public:
  TermMergeCursor(std::span<const MergeInput* const> inputs, const std::string& first, const std::string& last);

  bool done() const { return of_term_.empty(); }
  std::size_t input() const { return of_term_[at_]; }
  // The least piece; its views live until advance().
  const RunEntry& entry() const { return cursors_[of_term_[at_]]->entry(); }
  // Moves behind the least piece. True if the next one is of the same term.
  bool advance();

  // Before the first advance() at a term: the inputs that have it, in order, and their pieces.
  std::span<const std::uint32_t> inputs() const { return of_term_; }
  const RunEntry& entry(std::size_t input) const { return cursors_[input]->entry(); }
  // Are they known to be all pieces of the term? Then advance_term() moves behind it.
  bool are_whole() const;
  void advance_term();

 private:
  // The first 8 bytes of the inputs' terms, big-endian, zeros behind the end; all ones behind the last term, and where
  // there is no input.
  struct alignas(64) Starts : std::array<std::uint64_t, kTermStarts> {};
  // What tells terms apart that start alike: those of up to 16 bytes, and others that differ there.
  struct Rest {
    std::uint64_t next;   // 8 bytes more
    std::uint64_t bytes;  // of the term, kMoreBytes at most; kDone behind the last term
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
  std::vector<std::uint64_t> least_starts_;  // of each
  std::vector<Rest> rests_;
  // The inputs whose next pieces are of the least term, in order, of which those before at_ have moved on.
  std::vector<std::uint32_t> of_term_;
  std::size_t at_ = 0;
  // That term; the text only where the rest does not say all.
  std::uint64_t start_ = 0;
  Rest rest_{};
  std::string term_;
};

}  // namespace spillway
