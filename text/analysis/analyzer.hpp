// Text to terms as an index's stored options say, for queries and other small texts. The ingest path
// (indexer/parse/chunk_parser.hpp) uses the same scanner, splitter and filter, but asks them once per distinct token.
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

  // Calls take(term) for every token of `text` that is kept, in order. Ill-formed UTF-8 separates words.
  void analyze(std::string_view text, const std::function<void(std::string_view term)>& take);
  // The same with the term's place: the number of tokens before it, dropped ones too (as positions in an index count).
  void analyze_places(std::string_view text,
                      const std::function<void(std::string_view term, std::uint32_t place)>& take);
  // The same before stop list, length limit and stemmer.
  void tokenize(std::string_view text, const std::function<void(std::string_view token)>& take);

 private:
  WordScanner scanner_;
  TermFilter filter_;
  UnicodeWords unicode_words_;
  std::string lower_;
};

// Pure ASCII?
bool is_ascii(std::string_view text);

// The stop list of --stop FILE (a word a line, or any text) or of a built-in list, as ContentOptions::stop_words wants
// it: tokens of `words` by the options' tokenizer, sorted, distinct, each followed by '\n'.
std::string normalize_stop_words(std::string_view words, const ContentOptions& options);

}  // namespace spillway
