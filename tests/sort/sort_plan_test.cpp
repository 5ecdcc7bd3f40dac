#include "sort/sort_plan.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "sort/sorters.hpp"

namespace spillway {
namespace {

std::vector<StringRef> refs_of(const std::vector<std::string>& strings) {
  std::vector<StringRef> refs;
  for (const std::string& text : strings) {
    refs.push_back({reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<std::uint32_t>(text.size()), 0});
  }
  return refs;
}

TEST(SortPlan, MeasuresTheDistinguishingPrefixOfASample) {
  const std::vector<std::string> strings{"abcx", "abcy", "b", ""};
  const StringSample sample = sample_strings(refs_of(strings));
  EXPECT_EQ(sample.sampled, 4u);
  EXPECT_DOUBLE_EQ(sample.mean_bytes, 9.0 / 4);
  EXPECT_DOUBLE_EQ(sample.mean_distinguishing_prefix, (4 + 4 + 1 + 0) / 4.0);
  EXPECT_EQ(sample_strings({}).sampled, 0u);
}

TEST(SortPlan, TakesRadixForShortPrefixesAndQuicksortForLongOnes) {
  std::vector<std::string> words, paths;
  for (int i = 0; i < 2000; ++i) {
    words.push_back(std::to_string(i * 7919 % 10007));
    paths.push_back(std::string(60, 'p') + words.back());
  }
  const SorterChoice short_choice = choose_string_sorter("auto", 2000, 9000, sample_strings(refs_of(words)));
  EXPECT_EQ(short_choice.name, "cpu-msd");
  EXPECT_NE(short_choice.describe().find("2000 strings of 9000 bytes"), std::string::npos);
  EXPECT_EQ(choose_string_sorter("auto", 2000, 9000, sample_strings(refs_of(paths))).name, "cpu-multikey");
  EXPECT_EQ(choose_string_sorter("auto", 0, 0, {}).name, "cpu-msd");
}

TEST(SortPlan, TakesTheSorterThatWasNamed) {
  for (const StringSorter* sorter : string_sorters()) {
    EXPECT_EQ(choose_string_sorter(sorter->name(), 1, 1, {}).name, sorter->name());
  }
  for (const RecordSorter* sorter : record_sorters()) {
    EXPECT_EQ(choose_record_sorter(sorter->name(), 1000, 1 << 20).name, sorter->name());
  }
  EXPECT_EQ(choose_record_sorter("cpu-chunk", 1000, 0).name, "cpu-chunk");
}

TEST(SortPlan, InvertsChunksByDefault) {
  const SorterChoice choice = choose_record_sorter("auto", 123456, 0);
  EXPECT_EQ(choice.name, "cpu-chunk");
  EXPECT_NE(choice.reason.find("123456"), std::string::npos);
}

TEST(SortPlan, RefusesUnknownNamesListingTheOthers) {
  try {
    choose_string_sorter("bubble\x1b", 1, 1, {});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "there is no string sorter 'bubble\\x1B': choose one of auto, cpu-msd, cpu-multikey");
  }
  try {
    choose_record_sorter("bubble", 1, 1);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "there is no record sorter 'bubble': choose one of auto, cpu-chunk, cpu-radix, cpu-quick");
  }
}

TEST(SortPlan, RefusesASorterThatDoesNotFit) {
  EXPECT_EQ(choose_record_sorter("cpu-quick", 1000, 8000).name, "cpu-quick");
  EXPECT_THROW(choose_record_sorter("cpu-quick", 1000, 7999), BudgetError);
  EXPECT_THROW(choose_record_sorter("cpu-radix", 1000, 8000), BudgetError);
}

}  // namespace
}  // namespace spillway
