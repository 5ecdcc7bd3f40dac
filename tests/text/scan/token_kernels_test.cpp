#include "text/scan/token_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "indexer/chunk/parsed_chunk.hpp"
#include "tests/support/guarded_text.hpp"
#include "text/scan/word_marks.hpp"

namespace spillway {
namespace {

using testing::GuardedText;

struct Word {
  std::size_t begin = 0, end = 0;
  bool special = false;
  bool operator==(const Word&) const = default;
};

std::vector<Word> words_in(std::string_view text, WordBytes word_bytes) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<std::uint8_t>(text[at]);
    if (!is_word_byte(c, word_bytes)) continue;
    if (words.empty() || words.back().end != at) words.push_back({at, at});
    words.back().end = at + 1;
    words.back().special |= c >= 0x80 || words.back().end - words.back().begin > kShortTokenBytes;
  }
  return words;
}

class TokenKernels : public ::testing::TestWithParam<WordBytes> {
 protected:
  // Expects that every kernel packs and marks the text rightly.
  void expect_right(std::string_view text) const {
    const std::vector<Word> words = words_in(text, GetParam());
    std::string lowered((text.size() + 63) / 64 * 64, '\0');
    for (const Word& word : words) {
      for (std::size_t i = word.begin; i < word.end; ++i) {
        lowered[i] = static_cast<char>(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
      }
    }
    for (const TokenKernel& path : all_token_kernels(GetParam())) {
      expect_packed(path, text, words, lowered);
      expect_marked(path, text, words, lowered);
    }
  }

  // Kernels without instructions that pack leave words at their places.
  static void expect_packed(const TokenKernel& path, std::string_view text, const std::vector<Word>& words,
                            const std::string& lowered) {
    std::string expected = lowered.substr(0, text.size());
    if (path.packs) {
      expected.clear();
      for (const Word& word : words) {
        expected += lowered.substr(word.begin, word.end - word.begin);
        if (word.end != text.size()) expected += '\0';
      }
    }
    std::vector<std::uint8_t> tokens(text.size() + kScanPadding + 1, kUntouched);
    const PackedTokens found = path.pack_tokens(bytes_of(text), text.size(), tokens.data());
    ASSERT_EQ(tokens.back(), kUntouched) << "wrote after the text";
    ASSERT_EQ(found.has_special, std::ranges::any_of(words, &Word::special)) << path.name;
    if (found.has_special) return;
    ASSERT_EQ(found.bytes, expected.size()) << path.name;
    ASSERT_EQ(std::string(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(found.bytes)), expected)
        << path.name;
    ASSERT_EQ(found.count, words.size()) << path.name;
  }

  static void expect_marked(const TokenKernel& path, std::string_view text, const std::vector<Word>& words,
                            const std::string& lowered) {
    std::vector<std::uint8_t> bytes(lowered.size() + 1, kUntouched);
    WordMarks marks;
    marks.words.fill(~std::uint64_t{0});
    marks.special.fill(~std::uint64_t{0});
    path.mark_tokens(bytes_of(text), text.size(), bytes.data(), marks);
    ASSERT_EQ(bytes.back(), kUntouched) << "wrote after the text";
    ASSERT_EQ(std::string(bytes.begin(), bytes.end() - 1), lowered) << path.name;
    std::vector<std::uint64_t> word_bytes(lowered.size() / 64);
    for (std::size_t i = 0; i < lowered.size(); ++i) word_bytes[i / 64] |= std::uint64_t{lowered[i] != 0} << i % 64;
    ASSERT_TRUE(std::ranges::equal(word_bytes, std::span(marks.words).first(word_bytes.size()))) << path.name;
    std::vector<std::uint16_t> special;
    for (const Word& word : words) {
      if (!word.special) continue;
      special.push_back(static_cast<std::uint16_t>(word.begin));
      special.push_back(static_cast<std::uint16_t>(word.end));
    }
    std::vector<std::uint16_t> edges(text.size() + 1);
    const auto specials = special_words(marks, text.size(), edges.data());
    ASSERT_EQ(std::vector<std::uint16_t>(specials.begin(), specials.end()), special) << path.name;
    expect_counts(marks, words, text.size());
  }

  // Counts words between the borders of any two words.
  static void expect_counts(const WordMarks& marks, const std::vector<Word>& words, std::size_t bytes) {
    for (std::size_t i = 0; i < words.size(); i += 1 + i / 8) {
      ASSERT_EQ(words_between(marks, 0, words[i].begin), i);
      ASSERT_EQ(words_between(marks, words[i].end, bytes), words.size() - i - 1);
      ASSERT_EQ(words_between(marks, words[i / 2].begin, words[i].end), i - i / 2 + 1);
    }
  }

  static const std::uint8_t* bytes_of(std::string_view text) {
    return reinterpret_cast<const std::uint8_t*>(text.data());
  }

  static constexpr std::uint8_t kUntouched = 0x5A;
};

TEST_P(TokenKernels, KnowEveryByteAtEveryPlace) {
  for (unsigned c = 0; c < 256; ++c) {
    const char other = is_word_byte(static_cast<std::uint8_t>(c), GetParam()) ? ' ' : 'x';
    for (std::size_t at = 0; at < 128; ++at) {
      std::string text(128, other);
      text[at] = static_cast<char>(c);
      expect_right(text);
    }
  }
}

TEST_P(TokenKernels, FindSpecialWordsOfEveryLengthAtEveryPlace) {
  for (std::size_t bytes = 14; bytes < 20; ++bytes) {
    for (std::size_t at = 0; at < 130; ++at) {
      expect_right(std::string(at, '.') + std::string(bytes, 'A') + " B " + std::string(bytes, 'c'));
    }
  }
  for (std::size_t bytes : {63, 64, 65, 127, 128, 129, 200, 4000}) expect_right(" " + std::string(bytes, 'w'));
}

TEST_P(TokenKernels, AreRightForAllLengthsAndMisalignments) {
  std::mt19937_64 random(1);
  for (const unsigned distinct : {256U, 4U}) {
    const std::string some = "a \xC3Z";
    std::string bytes;
    while (bytes.size() < 300 + 64) {
      bytes.push_back(distinct == 256 ? static_cast<char>(random()) : some[random() % 40 < 36 ? 0 : random() % 4]);
    }
    for (std::size_t shift = 0; shift < 64; ++shift) {
      for (std::size_t count = 1; count <= 300; count += 1 + shift % 3) {
        expect_right(std::string_view(bytes).substr(shift, count));
      }
    }
  }
}

TEST_P(TokenKernels, TakeWholeRanges) {
  std::string text;
  for (std::size_t i = 0; i < kScanBytes; ++i) text.push_back(i % 2 == 0 ? 'a' : ' ');
  std::string high;
  while (high.size() < kScanBytes) high += high.size() % 3 == 0 ? "\xC3" : "-\xFF";
  high.resize(kScanBytes);
  expect_right(text);
  expect_right(high);
  expect_right(std::string(kScanBytes, 'x'));
  expect_right(std::string(kScanBytes, ' '));
}

TEST_P(TokenKernels, ReadNothingOutsideTheText) {
  std::mt19937_64 random(2);
  for (std::size_t count = 1; count <= 300; ++count) {
    std::string bytes;
    while (bytes.size() < count) bytes.push_back(static_cast<char>(random()));
    const GuardedText text(bytes);  // ends at the end of a page
    expect_right(text.view());
  }
  const GuardedText page(std::string(4096, 'p'));  // begins at the begin of a page
  expect_right(page.view());
}

INSTANTIATE_TEST_SUITE_P(Words, TokenKernels, ::testing::Values(WordBytes::kAlphanumeric, WordBytes::kWithHighBytes),
                         [](const auto& param_info) {
                           return param_info.param == WordBytes::kAlphanumeric ? "Alphanumeric" : "WithHighBytes";
                         });

}  // namespace
}  // namespace spillway
