#include "corpora/synthetic/generate_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "io/base/checksum.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

std::string generate(const GenerateTextOptions& options) {
  std::string bytes;
  const GeneratedText made = generate_text(options, [&](std::string_view fragment) { bytes += fragment; });
  EXPECT_EQ(made.bytes, bytes.size());
  EXPECT_EQ(made.documents, static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n')));
  return bytes;
}

std::string hash_of(std::string_view bytes) {
  return to_hex(hash128({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
}

GenerateTextOptions documents(std::uint64_t count, GeneratedFormat format = GeneratedFormat::kJsonl) {
  GenerateTextOptions options;
  options.documents = count;
  options.format = format;
  return options;
}

TEST(GenerateText, MakesDocumentsThatTheReadersRead) {
  const auto result = read_input(generate(documents(1000)));
  ASSERT_EQ(result.documents.size(), 1000u);
  EXPECT_TRUE(result.skips.empty());
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(result.documents[i].id, std::to_string(i + 1));
  EXPECT_EQ(std::count(result.documents[7].title.begin(), result.documents[7].title.end(), ' '), 4);
}

TEST(GenerateText, ThreadsDoNotMatter) {
  GenerateTextOptions options = documents(5000);
  const std::string expected = generate(options);
  for (const unsigned threads : {2u, 5u}) {
    options.threads = threads;
    EXPECT_EQ(generate(options), expected);
  }
}

// The bytes of a seed must never change: tests and published figures depend on them.
TEST(GenerateText, SeedsMeanTheSameBytesEverywhere) {
  GenerateTextOptions options = documents(3000);
  EXPECT_EQ(hash_of(generate(options)), "46f59689732bf21192c48c83b566cddb");
  options.seed = 2;
  options.format = GeneratedFormat::kLines;
  options.distribution = LengthDistribution::kFixed;
  EXPECT_EQ(hash_of(generate(options)), "ab56ad7468c89a6055e2cb204851cd61");
}

TEST(GenerateText, OtherSeedsGiveOtherText) {
  GenerateTextOptions options = documents(10);
  const std::string first = generate(options);
  options.seed = 2;
  EXPECT_NE(generate(options), first);
}

TEST(GenerateText, StopsBeforeTheBytesGiven) {
  GenerateTextOptions options;
  options.total_bytes = 3000000;
  const std::string bytes = generate(options);
  EXPECT_LE(bytes.size(), 3000000u);
  EXPECT_GT(bytes.size(), 2900000u);
  options.total_bytes = bytes.size();
  EXPECT_EQ(generate(options), bytes);
  options.total_bytes = bytes.size() - 1;
  EXPECT_EQ(generate(options), bytes.substr(0, bytes.rfind('\n', bytes.size() - 2) + 1));
  options.total_bytes = 10;
  EXPECT_EQ(generate(options), "");
}

TEST(GenerateText, MoreBytesBeginWithTheSame) {
  GenerateTextOptions options;
  options.total_bytes = 100000;
  const std::string some = generate(options);
  options.total_bytes = 5000000;
  EXPECT_TRUE(generate(options).starts_with(some));
}

TEST(GenerateText, LengthsFollowTheirDistribution) {
  GenerateTextOptions options = documents(20000, GeneratedFormat::kLines);
  options.mean_words = 50;
  const auto lengths = [&] {
    std::istringstream lines(generate(options));
    std::vector<double> all;
    for (std::string line; std::getline(lines, line);) {
      all.push_back(1 + static_cast<double>(std::count(line.begin(), line.end(), ' ')));
    }
    return all;
  };
  double sum = 0, logs = 0, log_squares = 0;
  for (const double length : lengths()) {
    sum += length;
    logs += std::log(length);
    log_squares += std::log(length) * std::log(length);
  }
  EXPECT_NEAR(sum / 20000, 50, 2);
  EXPECT_NEAR(std::sqrt(log_squares / 20000 - logs / 20000 * logs / 20000), 0.8, 0.05);
  options.distribution = LengthDistribution::kFixed;
  options.documents = 10;
  EXPECT_EQ(lengths(), std::vector<double>(10, 50));
}

TEST(GenerateText, TheVocabularyIsKept) {
  GenerateTextOptions options = documents(2000, GeneratedFormat::kLines);
  options.vocabulary = 100;
  std::istringstream words(generate(options));
  std::set<std::string> distinct;
  for (std::string word; words >> word;) distinct.insert(word);
  EXPECT_EQ(distinct.size(), 100u);
}

TEST(GenerateText, RefusesOptionsOutOfRange) {
  const auto refuses = [](auto change) {
    GenerateTextOptions options = documents(1);
    change(options);
    EXPECT_THROW(generate_text(options, [](std::string_view) {}), UsageError);
  };
  refuses([](auto& o) { o.documents = 0; });
  refuses([](auto& o) { o.vocabulary = 0; });
  refuses([](auto& o) { o.vocabulary = std::uint64_t{1} << 32; });
  refuses([](auto& o) { o.exponent = -1; });
  refuses([](auto& o) { o.exponent = std::nan(""); });
  refuses([](auto& o) { o.shift = 1e9; });
  refuses([](auto& o) { o.mean_words = 0; });
  refuses([](auto& o) { o.spread = 5; });
  refuses([](auto& o) { o.title_words = 1001; });
}

TEST(GenerateText, WhatTheWriterThrowsComesOut) {
  GenerateTextOptions options = documents(100000);
  options.threads = 3;
  int fragments = 0;
  EXPECT_THROW(generate_text(options,
                             [&](std::string_view) {
                               if (++fragments == 2) throw IoError("full");
                             }),
               IoError);
  EXPECT_EQ(fragments, 2);
}

}  // namespace
}  // namespace spillway
