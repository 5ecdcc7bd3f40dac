// The fragment of a document's text that shows best why the document was found: the one with the most distinct terms of
// the query. The analysis of the index decides what matches, so a snippet marks exactly the terms that were found. Time
// O(text + matches).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/format/content_options.hpp"
#include "text/analysis/analyzer.hpp"

namespace spillway {

struct Snippet {
  std::string text;                                        // valid UTF-8; white space is single spaces
  std::vector<std::pair<std::size_t, std::size_t>> marks;  // [begin, end) of each match in it, ascending
  bool starts_text = true, ends_text = true;               // whether nothing was left out before, or after it
};

// Not thread-safe.
class SnippetMaker {
 public:
  static constexpr std::size_t kSnippetBytes = 200;  // approximate length

  // `terms`: those of the query, as the index stores them.
  SnippetMaker(const ContentOptions& options, std::vector<std::string> terms);

  // Among fragments with the most distinct terms, takes the one with the most matches, and among these the first.
  // Without any match, takes the start of the text. Requires: valid UTF-8.
  Snippet make(std::string_view text);

 private:
  struct Match {
    std::size_t begin, end, term;
  };
  std::vector<Match> find_matches(std::string_view text);
  void match_word(std::string_view text, std::size_t begin, std::size_t end, std::vector<Match>& matches);
  std::pair<std::size_t, std::size_t> best_fragment(const std::vector<Match>& matches) const;
  std::size_t term_of(std::string_view token);
  bool is_word_byte(char c) const;

  Analyzer analyzer_;
  TermFilter filter_;
  bool high_bytes_are_words_;
  std::vector<std::string> terms_;  // sorted, distinct
};

// The same snippet, safe to print on a terminal: its text passes through printable() (io/base/error.hpp).
Snippet printable(const Snippet& snippet);

// The snippet's text with `open` and `close` around each mark, and "..." for text that was left out.
std::string marked_text(const Snippet& snippet, std::string_view open, std::string_view close);

}  // namespace spillway
