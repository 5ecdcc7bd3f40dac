#include "text/analysis/analyzer.hpp"

#include <algorithm>
#include <set>

namespace spillway {

namespace {

WordBytes word_bytes_of(Tokenizer tokenizer) {
  return tokenizer == Tokenizer::kAscii ? WordBytes::kAlphanumeric : WordBytes::kWithHighBytes;
}

}  // namespace

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<std::uint8_t>(c) < 0x80; });
}

Analyzer::Analyzer(const ContentOptions& options) : scanner_(word_bytes_of(options.tokenizer)), filter_(options) {}

void Analyzer::tokenize(std::string_view text, const std::function<void(std::string_view)>& take) {
  const auto take_word = [&](std::string_view word) {
    if (!is_ascii(word)) {
      unicode_words_.split(word, take);
      return;
    }
    lower_.assign(word);
    for (char& c : lower_) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
    take(lower_);
  };
  scanner_.scan(text, take_word);
  scanner_.finish(take_word);
}

void Analyzer::analyze(std::string_view text, const std::function<void(std::string_view)>& take) {
  analyze_places(text, [&](std::string_view term, std::uint32_t) { take(term); });
}

void Analyzer::analyze_places(std::string_view text, const std::function<void(std::string_view, std::uint32_t)>& take) {
  std::uint32_t place = 0;
  tokenize(text, [&](std::string_view token) {
    std::string_view term;
    if (filter_.apply(token, &term) == TokenFate::kKept) take(term, place);
    ++place;
  });
}

std::string normalize_stop_words(std::string_view words, const ContentOptions& options) {
  ContentOptions plain = options;
  plain.stop_words.clear();
  plain.stemmer = "none";
  std::set<std::string, std::less<>> distinct;
  Analyzer(plain).tokenize(words, [&](std::string_view token) { distinct.emplace(token); });
  std::string result;
  for (const std::string& word : distinct) result.append(word).push_back('\n');
  return result;
}

}  // namespace spillway
