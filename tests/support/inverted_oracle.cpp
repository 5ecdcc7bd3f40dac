#include "tests/support/inverted_oracle.hpp"

#include <algorithm>

#include "text/analysis/term_filter.hpp"
#include "text/unicode/words.hpp"

namespace spillway::testing {

namespace {

bool is_word_byte(char c, Tokenizer tokenizer) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (tokenizer == Tokenizer::kUnicode && static_cast<unsigned char>(c) >= 0x80);
}

std::vector<std::string> tokens_of_run(const std::string& run, UnicodeWords& words) {
  std::vector<std::string> tokens;
  if (std::any_of(run.begin(), run.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    words.split(run, [&](std::string_view token) { tokens.emplace_back(token); });
    return tokens;
  }
  tokens.push_back(run);
  for (char& c : tokens.back()) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return tokens;
}

constexpr const char* kStrangeWords[] = {"Straße",
                                         "STRASSE",
                                         "ÄPFEL",
                                         "İstanbul",
                                         "ΟΔΥΣΣΕΥΣ",
                                         "ὀδυσσεύς",
                                         "ﬁne",
                                         "ﬃ",
                                         "ｆｕｌｌＷＩＤＴＨ",
                                         "Ⅷ",
                                         "½",
                                         "x²",
                                         "e\u0301",
                                         "\u0301",
                                         "naïve",
                                         "naï\u00adve",
                                         "книга",
                                         "КНИГИ",
                                         "ﷺ",
                                         "\u0645\u0631\u062D\u0628\u0627",
                                         "ภาษาไทยง่าย",
                                         "東京都に住んでいます",
                                         "中华人民共和国",
                                         "windows10の使い方",
                                         "カタカナ",
                                         "한국어",
                                         "ສະບາຍດີ",
                                         "မြန်မာ",
                                         "ខ្មែរ",
                                         "\uFFFD",
                                         "a\uFFFDb",
                                         "😀",
                                         "don’t",
                                         "𝔘𝔫𝔦",
                                         "𠮷野家",
                                         "ǅ",
                                         "ŉ"};
constexpr const char* kSeparators[] = {" ", " ", " ",  " ",  "\n", ", ",     ". ",     "-",
                                       "_", "/", "\t", "。", "—",  "\u00A0", "\u200B", " \x01 "};

std::string random_word(std::mt19937_64& random, std::size_t longest_bytes) {
  const auto pick = random() % 100;
  if (pick < 8) return kStrangeWords[random() % std::size(kStrangeWords)];
  std::string word;
  if (pick < 10) {  // long, and rarely repeated
    const std::size_t bytes = 1 + random() % longest_bytes;
    while (word.size() < bytes) word.push_back("abcXYZ0189"[random() % 10]);
    return word;
  }
  // Smaller ranks are more frequent.
  std::uint64_t rank = 1 + random() % (std::uint64_t{1} << (1 + random() % 12));
  static constexpr const char* kSyllables[] = {"ta", "ru", "ni", "sel", "o", "king", "ed", "ies"};
  for (; rank != 0; rank /= 8) word += kSyllables[rank % 8];
  const auto style = random() % 8;
  if (style == 0) word[0] = static_cast<char>(word[0] - 'a' + 'A');
  if (style == 1) {
    for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
  }
  return word;
}

}  // namespace

std::uint64_t InvertedOracle::posting_count() const {
  std::uint64_t count = 0;
  for (const auto& [term, list] : lists) count += list.size();
  return count;
}

std::uint64_t InvertedOracle::occurrence_count() const {
  std::uint64_t count = 0;
  for (const std::uint32_t length : lengths) count += length;
  return count;
}

ContentChecksum sum_of_lists(const std::map<std::string, InvertedOracle::List>& lists) {
  ContentChecksum sum;
  for (const auto& [term, list] : lists) {
    for (const auto& [document, frequency] : list) {
      sum.add(hash_term(term), field61::multiply(frequency, document_power(document)));
    }
  }
  return sum;
}

ContentChecksum InvertedOracle::sum() const { return sum_of_lists(lists); }

std::vector<std::string> naive_words(std::string_view text, Tokenizer tokenizer) {
  std::vector<std::string> runs;
  bool inside = false;
  for (const char c : text) {
    const bool word = is_word_byte(c, tokenizer);
    if (word && !inside) runs.emplace_back();
    if (word) runs.back().push_back(c);
    inside = word;
  }
  return runs;
}

InvertedOracle invert(const std::vector<OracleDocument>& documents, const ContentOptions& options) {
  InvertedOracle oracle;
  TermFilter filter(options);
  UnicodeWords words;
  for (std::uint32_t number = 0; number < documents.size(); ++number) {
    std::uint32_t length = 0, position = 0;
    for (const std::string* field : {&documents[number].title, &documents[number].text}) {
      if (field == &documents[number].text && position != 0) position += 100;
      for (const std::string& run : naive_words(*field, options.tokenizer)) {
        for (const std::string& token : tokens_of_run(run, words)) {
          std::string_view term;
          const TokenFate fate = filter.apply(token, &term);
          oracle.overlong_tokens += fate == TokenFate::kOverlong ? 1 : 0;
          const std::uint32_t place = position++;
          if (fate != TokenFate::kKept) continue;
          ++oracle.lists[std::string(term)][number];
          oracle.positions[std::string(term)][number].push_back(place);
          ++length;
        }
      }
    }
    oracle.lengths.push_back(length);
  }
  return oracle;
}

std::string random_text(std::mt19937_64& random, std::size_t words, std::size_t longest_token_bytes) {
  std::string text;
  for (std::size_t i = 0; i < words; ++i) {
    text += random_word(random, longest_token_bytes);
    text += kSeparators[random() % std::size(kSeparators)];
  }
  if (random() % 2 == 0 && !text.empty())
    text += random_word(random, longest_token_bytes);  // the text ends inside a word
  return text;
}

std::vector<OracleDocument> random_documents(std::uint64_t seed, const RandomDocuments& shape) {
  std::mt19937_64 random(seed);
  const bool with_ids = random() % 4 != 0;
  std::vector<OracleDocument> documents(shape.count);
  for (std::size_t i = 0; i < shape.count; ++i) {
    OracleDocument& document = documents[i];
    if (with_ids) document.id = "doc-" + std::to_string(random() % 1000) + "-" + std::to_string(i);
    if (random() % 2 == 0) document.title = random_text(random, random() % 8, shape.longest_token_bytes);
    if (random() % 4 == 0) document.url = "http://example.org/" + std::to_string(random());
    if (random() % 4 == 0) document.date = "2024-01-" + std::to_string(random() % 30);
    const auto kind = random() % 10;
    if (kind == 0) continue;  // no text
    const std::size_t most = kind == 1 ? shape.long_document_words : shape.words;
    document.text = random_text(random, random() % (most + 1), shape.longest_token_bytes);
  }
  return documents;
}

}  // namespace spillway::testing
