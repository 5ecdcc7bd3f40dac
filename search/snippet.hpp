// The piece of a document's text that shows best why it was found: the stretch with the most distinct terms of the
// query. What matches is decided by the index's own analysis, so what is marked is what was found.
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
  std::string text;                                        // valid UTF-8; every stretch of white space is one space
  std::vector<std::pair<std::size_t, std::size_t>> marks;  // [begin, end) of each match in it, ascending
  bool starts_text = true, ends_text = true;               // nothing was left out before, or behind
};

// Not thread-safe.
class SnippetMaker {
 public:
  static constexpr std::size_t kSnippetBytes = 200;  // about so long

  // terms: of the query, as the index has them.
  SnippetMaker(const ContentOptions& options, std::vector<std::string> terms);

  // Requires: valid UTF-8. Where several stretches have as many distinct terms, the one with most matches, and of these
  // the first, is taken; without any match, the start of the text.
  Snippet make(std::string_view text);

 private:
  struct Match {
    std::size_t begin, end, term;
  };
  std::vector<Match> find_matches(std::string_view text);
  void match_run(std::string_view text, std::size_t begin, std::size_t end, std::vector<Match>& matches);
  std::pair<std::size_t, std::size_t> best_stretch(const std::vector<Match>& matches) const;
  std::size_t term_of(std::string_view token);
  bool is_word_byte(char c) const;

  Analyzer analyzer_;
  TermFilter filter_;
  bool high_bytes_are_words_;
  std::vector<std::string> terms_;  // sorted, distinct
};

// The snippet with `open` and `close` around each mark, control characters escaped, and "..." where text was left out.
std::string marked_text(const Snippet& snippet, std::string_view open, std::string_view close);

}  // namespace spillway
