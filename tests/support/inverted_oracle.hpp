// The expected contents of an index of some documents, computed in the simplest way: naive word splitting and a
// std::map of postings. Shares with the program only steps that have tests of their own (UnicodeWords, TermFilter).
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "io/checksum/content_checksum.hpp"
#include "io/format/content_options.hpp"

namespace spillway::testing {

struct OracleDocument {
  std::string id, title, url, date, text;  // title, url, date: absent if empty
  bool operator==(const OracleDocument&) const = default;
};

struct InvertedOracle {
  using List = std::map<std::uint32_t, std::uint32_t>;  // document -> frequency
  std::map<std::string, List> lists;
  // Ordinals of tokens before stopping. Those of the text start 100 after those of the title, if there is one.
  std::map<std::string, std::map<std::uint32_t, std::vector<std::uint32_t>>> positions;
  std::vector<std::uint32_t> lengths;  // tokens kept
  std::uint64_t overlong_tokens = 0;

  std::uint64_t posting_count() const;
  std::uint64_t occurrence_count() const;
  ContentChecksum sum() const;  // computed from the definition
  bool operator==(const InvertedOracle&) const = default;
};
ContentChecksum sum_of_lists(const std::map<std::string, InvertedOracle::List>& lists);

InvertedOracle invert(const std::vector<OracleDocument>& documents, const ContentOptions& options);

// Maximal sequences of word bytes of any length, by the definition.
std::vector<std::string> naive_words(std::string_view text, Tokenizer tokenizer);

// Random valid UTF-8: Zipf-like words in upper and lower case, digits, accents, ligatures, Greek, Arabic, Thai,
// Chinese, Japanese, combining marks, long tokens, and all kinds of separators.
std::string random_text(std::mt19937_64& random, std::size_t words, std::size_t longest_token_bytes = 40);

struct RandomDocuments {
  std::size_t count = 20;
  std::size_t words = 60;                  // limit per document
  std::size_t long_document_words = 3000;  // limit for about every tenth document
  std::size_t longest_token_bytes = 40;
};
// Some documents are empty, some long; each field is present in some. Ids are distinct, or all empty for one seed in
// four.
std::vector<OracleDocument> random_documents(std::uint64_t seed, const RandomDocuments& shape);

}  // namespace spillway::testing
