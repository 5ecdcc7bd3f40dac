// The term cursors of a merge as one sequence in (term, input) order: a loser tree that compares the first 8 bytes of
// terms as integers before it looks at the rest.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "merge/loser_tree.hpp"
#include "merge/merge_input.hpp"

namespace spillway {

// Holds one cursor per input, over the terms first <= term < last (empty last: to the end). Not thread-safe.
class TermSources {
 public:
  TermSources(std::span<const MergeInput* const> inputs, const std::string& first, const std::string& last);

  bool done() const { return sources_[tree_.winner()].done; }
  std::size_t input() const { return tree_.winner(); }
  // The least piece; its views live until advance().
  const TermPiece& piece() const { return sources_[tree_.winner()].cursor->piece(); }
  // Moves behind the least piece. True if the next one is of the same term.
  bool advance();

 private:
  struct Source {
    std::unique_ptr<TermCursor> cursor;
    std::uint64_t prefix = 0;
    std::string_view term;
    bool done = false;
    void next();
  };
  // Exhausted sources last, equal terms in input order.
  struct Less {
    const Source* sources;
    bool operator()(std::size_t a, std::size_t b) const;
  };
  static std::vector<Source> open(std::span<const MergeInput* const> inputs, const std::string& first,
                                  const std::string& last);
  std::vector<Source> sources_;
  LoserTree<Less> tree_;
  std::string term_;
};

}  // namespace spillway
