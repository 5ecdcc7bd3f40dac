#include "io/format/content_difference.hpp"

#include <algorithm>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr const char* kTokenizers[] = {"unicode", "ascii"};
constexpr const char* kStores[] = {"none", "meta", "text"};
constexpr const char* kPolicies[] = {"first", "keep", "fail"};

std::string or_none(const std::string& text) { return text.empty() ? "none" : printable(text); }

// "33 words"; if both lists have the same number, also the first word that only this one has.
std::string words_text(const std::string& words, const std::string& other) {
  if (words.empty()) return "none";
  const auto count = std::count(words.begin(), words.end(), '\n');
  std::string text = std::to_string(count) + (count == 1 ? " word" : " words");
  if (count != std::count(other.begin(), other.end(), '\n')) return text;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = words.find('\n', begin);
    const std::string word = words.substr(begin, end - begin);
    if (("\n" + other).find("\n" + word + "\n") == std::string::npos) return text + " with '" + printable(word) + "'";
    begin = end + 1;
  }
  return text;
}

}  // namespace

std::vector<ContentDifference> content_differences(const ContentOptions& first, const ContentOptions& second) {
  std::vector<ContentDifference> differences;
  const auto compare = [&](const char* option, const std::string& a, const std::string& b, bool changes_terms = false) {
    if (a != b) differences.push_back({option, a, b, changes_terms});
  };
  constexpr bool kChangesTerms = true;
  const auto name = [](const auto& names, auto value) { return std::string(names[static_cast<std::size_t>(value)]); };
  compare("--tokenizer", name(kTokenizers, first.tokenizer), name(kTokenizers, second.tokenizer), kChangesTerms);
  if (first.stop_words != second.stop_words) {
    differences.push_back({"--stop", words_text(first.stop_words, second.stop_words),
                           words_text(second.stop_words, first.stop_words), kChangesTerms});
  }
  compare("--stem", first.stemmer, second.stemmer, kChangesTerms);
  compare("--max-term-bytes", std::to_string(first.max_term_bytes), std::to_string(second.max_term_bytes),
          kChangesTerms);
  compare("--max-document-bytes", std::to_string(first.max_document_bytes), std::to_string(second.max_document_bytes));
  compare("--positions", first.positions ? "yes" : "no", second.positions ? "yes" : "no");
  compare("--store", name(kStores, first.store), name(kStores, second.store));
  compare("--duplicate-ids", name(kPolicies, first.duplicate_ids), name(kPolicies, second.duplicate_ids));
  compare("version of ICU", or_none(first.icu_version), or_none(second.icu_version), kChangesTerms);
  compare("version of the stemmer", or_none(first.stemmer_version), or_none(second.stemmer_version), kChangesTerms);
  compare("version of zstd", or_none(first.zstd_version), or_none(second.zstd_version));
  return differences;
}

}  // namespace spillway
