#include "indexer/job/base_index.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/golden_index.hpp"

namespace spillway::testing {
namespace {

class BaseIndexTest : public ::testing::Test {
 protected:
  BaseIndexTest() { write_sample(files_, "/index", sample_); }

  FaultyFileSystem files_;
  SampleIndex sample_ = golden_sample();
};

TEST_F(BaseIndexTest, IsTheFirstSourceOfAMerge) {
  BaseIndex base(files_, "/index", sample_.options);
  EXPECT_EQ(base.counts().documents, sample_.documents.size());
  EXPECT_EQ(base.counts().source_documents, sample_.source_document_count());
  EXPECT_GT(base.bytes(), 0U);
  const std::unique_ptr<MergeSource> source = base.take_source();
  EXPECT_EQ(source->kept_name, BaseIndex::kKeptName);
  EXPECT_EQ(source->bytes, base.bytes());
  IndexTotals totals;
  base.add_dropped(totals);
  EXPECT_EQ(totals.source_sum, base.counts().dropped_sum);
  EXPECT_EQ(totals.dropped_sum, base.counts().dropped_sum);
}

TEST_F(BaseIndexTest, NamesWhatDiffers) {
  ContentOptions other = sample_.options;
  other.zstd_version = "0.1";
  other.max_term_bytes += 1;
  try {
    const BaseIndex base(files_, "/index", other);
    FAIL() << "it was taken";
  } catch (const UsageError& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("--max-term-bytes is "), std::string::npos) << words;
    EXPECT_NE(words.find("version of zstd is "), std::string::npos) << words;
    EXPECT_NE(words.find("/index"), std::string::npos) << words;
  }
}

TEST_F(BaseIndexTest, SaysBeforeTheWorkThatMemoryIsTooLittle) {
  const BaseIndex base(files_, "/index", sample_.options);
  MergeResources resources{.budget_bytes = std::size_t{64} << 20,
                           .free_bytes = std::size_t{32} << 20,
                           .run_block_bytes = std::size_t{64} << 10,
                           .max_term_bytes = 255,
                           .store = StorePolicy::kText,
                           .has_positions = true,
                           .threads = 2,
                           .descriptors = 100};
  EXPECT_NO_THROW(base.check_memory(resources));
  resources.free_bytes = std::size_t{1} << 20;
  EXPECT_THROW(base.check_memory(resources), BudgetError);
}

}  // namespace
}  // namespace spillway::testing
