// Turns text into terms with the stored options of an index, for queries and other small texts. Ingest
// (indexer/parse/chunk_parser.hpp) uses the same scanner, splitter and filter, but filters each distinct token once.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "io/format/content_options.hpp"
#include "text/analysis/term_filter.hpp"
#include "text/scan/word_scanner.hpp"
#include "text/unicode/words.hpp"

namespace spillway {

// Not thread-safe.
class Analyzer {
 public:
  explicit Analyzer(const ContentOptions& options);

  // Calls take(term) for every token of `text` that the filter keeps, in order. Ill-formed UTF-8 separates words.
  void analyze(std::string_view text, const std::function<void(std::string_view term)>& take);
  // The same with the place of the term: the number of tokens before it, including dropped ones, as positions in an
  // index count.
  void analyze_places(std::string_view text,
                      const std::function<void(std::string_view term, std::uint32_t place)>& take);
  // Calls take(token) for every token, before stop list, length limit and stemmer.
  void tokenize(std::string_view text, const std::function<void(std::string_view token)>& take);

 private:
  WordScanner scanner_;
  TermFilter filter_;
  UnicodeWords unicode_words_;
  std::string lower_;
};

bool is_ascii(std::string_view text);

// Turns the words of --stop FILE (any text) or of a built-in list into ContentOptions::stop_words: their distinct
// tokens, sorted, each followed by '\n'.
std::string normalize_stop_words(std::string_view words, const ContentOptions& options);

}  // namespace spillway
