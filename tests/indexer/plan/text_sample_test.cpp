#include "indexer/plan/text_sample.hpp"

#include <gtest/gtest.h>

#include <string>

#include "io/file/posix_file_system.hpp"

namespace spillway {
namespace {

TEST(TextSample, CountsWordsWithoutRegardToCase) {
  const TextSample sample = sample_text("One two, ONE; two3 ");
  EXPECT_DOUBLE_EQ(sample.words * 19, 4);
  EXPECT_DOUBLE_EQ(sample.distinct_words * 19, 3);
}

TEST(TextSample, TakesEscapedLettersOfJsonForNoLetters) {
  const std::string text = R"("one\none\tone ")";
  EXPECT_DOUBLE_EQ(sample_text(text).distinct_words * static_cast<double>(text.size()), 1);
}

TEST(TextSample, OfNothingIsNothing) {
  EXPECT_EQ(sample_text("").words, 0);
  EXPECT_FALSE(sample_corpus(posix_file_system(), CorpusPlan{}));
}

TEST(TextSample, KnowsCommonWordsFromRareOnes) {
  std::string common, rare;
  for (int i = 0; i < 50'000; ++i) {
    common += "word" + std::to_string(i % 1000) + " ";
    rare += "word" + std::to_string(i) + " ";
  }
  EXPECT_LT(sample_text(common).distinct_words, 0.01);
  EXPECT_GT(sample_text(rare).distinct_words, 0.08);
}

}  // namespace
}  // namespace spillway
