// The term cursors of a merge as one sequence in (term, input) order: a loser tree that compares the first 16 bytes of
// terms as integers before it looks at the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "merge/loser_tree.hpp"
#include "merge/merge_input.hpp"

namespace spillway {

// Holds one cursor per input, over the terms first <= term < last (empty last: to the end). Not thread-safe.
class TermSources {
 public:
  TermSources(std::span<const MergeInput* const> inputs, const std::string& first, const std::string& last);

  bool done() const { return sources_[tree_.winner()].is_done(); }
  std::size_t input() const { return tree_.winner(); }
  // The least piece; its views live until advance().
  const TermPiece& piece() const { return sources_[tree_.winner()].cursor->piece(); }
  // Moves behind the least piece. True if the next one is of the same term.
  bool advance();

 private:
  // What orders most terms: those of up to 16 bytes, and others that differ there.
  struct Key {
    unsigned __int128 start = 0;  // the first 16 bytes, big-endian, zeros behind the end
    std::uint64_t bytes = 0;      // of the term, kMoreBytes at most; kDone behind the last term
    bool operator==(const Key&) const = default;
  };
  static constexpr std::uint64_t kMoreBytes = sizeof(Key::start) + 1, kDone = kMoreBytes + 1;
  static Key key_of(std::string_view term);

  struct Source {
    std::unique_ptr<TermCursor> cursor;
    Key key;
    std::string_view term;
    bool is_done() const { return key.bytes == kDone; }
    void next();
  };
  // Exhausted sources last, equal terms in input order.
  struct Less {
    const Source* sources;
    bool operator()(std::size_t a, std::size_t b) const;
  };
  static std::vector<Source> open(std::span<const MergeInput* const> inputs, const std::string& first,
                                  const std::string& last);
  void begin_term();
  std::vector<Source> sources_;
  LoserTree<Less> tree_;
  // The term of the least piece; the text only where the key does not say all.
  Key key_;
  std::string term_;
};

}  // namespace spillway
