#include "indexer/run/store.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

class RunStoreTest : public ::testing::Test {
 protected:
  static std::function<RunSummary(WritableFile&)> writing(std::size_t bytes, std::uint8_t fill) {
    return [=](WritableFile& file) {
      const std::vector<std::uint8_t> content(bytes, fill);
      file.append(content);
      RunSummary summary;
      summary.document_count = bytes;
      return summary;
    };
  }
  static void expect_content(MergeSource& source, std::size_t bytes, std::uint8_t fill) {
    auto& run = dynamic_cast<StoredRun&>(source);
    EXPECT_EQ(run.bytes, bytes);
    EXPECT_EQ(run.summary.document_count, bytes);
    const ReadableFile& file = run.file();
    ASSERT_EQ(file.size(), bytes);
    std::vector<std::uint8_t> content(bytes);
    file.read_exactly(0, content);
    EXPECT_EQ(content, std::vector<std::uint8_t>(bytes, fill));
    run.close();
  }

  ScratchDirectory scratch_;
  MemoryBudget budget_{64 * kMebibyte};
  TempSpace temp_{posix_file_system(), {}, scratch_.path(), 0};
};

TEST_F(RunStoreTest, KeepsRunsInMemoryWhileTheirShareLasts) {
  RunStore store(budget_, temp_, 8 * kMebibyte);
  for (std::uint8_t i = 0; i < 10; ++i)
    store.runs.push_back(store.write(store.take_share(2 * kMebibyte), writing(2 * kMebibyte, i)));
  std::size_t spilled = 0;
  for (std::uint8_t i = 0; i < 10; ++i) {
    spilled += store.runs[i]->is_spilled() ? 1 : 0;
    expect_content(*store.runs[i], 2 * kMebibyte, i);
    expect_content(*store.runs[i], 2 * kMebibyte, i);  // can be opened again
  }
  EXPECT_GE(spilled, 6U);
  EXPECT_LT(spilled, 10U);
  EXPECT_LE(budget_.used_bytes(), 8 * kMebibyte);
  EXPECT_EQ(temp_.used_bytes(), spilled * 2 * kMebibyte);
}

TEST_F(RunStoreTest, SpillsAllWithoutAShare) {
  RunStore store(budget_, temp_, 0);
  store.runs.push_back(store.write(store.take_share(10), writing(10, 1)));
  EXPECT_TRUE(store.runs[0]->is_spilled());
  EXPECT_EQ(budget_.peak_bytes(), 0U);
  expect_content(*store.runs[0], 10, 1);
}

TEST_F(RunStoreTest, SpillsARunWithoutAShare) {
  RunStore store(budget_, temp_, 8 * kMebibyte);
  const auto run = store.write({}, writing(100, 3));
  EXPECT_TRUE(run->is_spilled());
  expect_content(*run, 100, 3);
}

TEST_F(RunStoreTest, ChargesWhatARunTookNotWhatItMightHaveTaken) {
  RunStore store(budget_, temp_, 8 * kMebibyte);
  for (std::uint8_t i = 0; i < 4; ++i) {
    store.runs.push_back(store.write(store.take_share(4 * kMebibyte), writing(100, i)));
    EXPECT_FALSE(store.runs.back()->is_spilled()) << int{i};
  }
}

// A share includes the last step of growth. The size of that step must be computed from the bound alone, not from the
// bound plus the step.
TEST_F(RunStoreTest, TakesRoomOfTheSizeThatTheShareHasRoomFor) {
  MemoryBudget budget(200 * kMebibyte);
  for (const std::size_t bound : {8 * kMebibyte - 1000, 8 * kMebibyte, 64 * kMebibyte - 1000, 64 * kMebibyte}) {
    RunStore store(budget, temp_, 150 * kMebibyte);
    RunShare share = store.take_share(bound);
    const std::size_t taken = share.bytes();
    const auto run = store.write(std::move(share), writing(bound, 1));
    EXPECT_LE(run->share.bytes(), taken) << bound;
    EXPECT_EQ(run->share.bytes(), budget.used_bytes()) << bound;
  }
}

TEST_F(RunStoreTest, OwesWhatARunTookBeyondItsShare) {
  RunStore store(budget_, temp_, 4 * kMebibyte);
  store.runs.push_back(store.write(store.take_share(kMebibyte), writing(5 * kMebibyte, 1)));
  EXPECT_FALSE(store.runs.back()->is_spilled());
  EXPECT_EQ(store.runs.back()->share.bytes(), budget_.used_bytes());
  EXPECT_EQ(store.memory_left(), 0U);
  EXPECT_FALSE(store.take_share(1).is_memory());
  store.add_memory(2 * kMebibyte);
  EXPECT_EQ(store.memory_bytes(), 6 * kMebibyte);
  EXPECT_EQ(store.memory_left(), kMebibyte);
  store.runs.clear();
  EXPECT_EQ(store.memory_left(), 6 * kMebibyte);
}

// Runs that are written at the same time never take more than their share together.
TEST_F(RunStoreTest, HoldsTheShareOfARunThatIsOnItsWay) {
  RunStore store(budget_, temp_, 4 * kMebibyte);
  {
    const RunShare first = store.take_share(2 * kMebibyte);
    EXPECT_TRUE(first.is_memory());
    EXPECT_FALSE(store.take_share(2 * kMebibyte).is_memory());
    EXPECT_TRUE(store.take_share(kMebibyte).is_memory());  // and given back
    EXPECT_TRUE(store.take_share(kMebibyte).is_memory());
  }
  RunShare all = store.take_share(4 * kMebibyte - (std::size_t{64} << 10));
  EXPECT_TRUE(all.is_memory());
  all.keep(3 * kMebibyte);
  EXPECT_FALSE(store.take_share(kMebibyte).is_memory());
  EXPECT_TRUE(store.take_share(kMebibyte / 2).is_memory());
}

TEST_F(RunStoreTest, GivesARunsShareToOthersOnceItIsGone) {
  RunStore store(budget_, temp_, 4 * kMebibyte);
  EXPECT_EQ(store.memory_bytes(), 4 * kMebibyte);
  store.runs.push_back(store.write(store.take_share(3 * kMebibyte), writing(3 * kMebibyte, 1)));
  EXPECT_LE(store.memory_left(), kMebibyte);
  EXPECT_EQ(store.runs.back()->share.bytes(), 4 * kMebibyte - store.memory_left());
  store.runs.clear();
  EXPECT_EQ(store.memory_left(), 4 * kMebibyte);
}

TEST_F(RunStoreTest, GivesEverythingBack) {
  {
    RunStore store(budget_, temp_, 4 * kMebibyte);
    for (std::uint8_t i = 0; i < 6; ++i)
      store.runs.push_back(store.write(store.take_share(kMebibyte), writing(kMebibyte, i)));
    EXPECT_GT(temp_.used_bytes(), 0U);
    EXPECT_GT(budget_.used_bytes(), 0U);
  }
  EXPECT_EQ(temp_.used_bytes(), 0U);
  EXPECT_EQ(budget_.used_bytes(), 0U);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
}

TEST_F(RunStoreTest, LeavesNothingOfARunThatFailed) {
  RunStore store(budget_, temp_, 4 * kMebibyte);
  for (const std::size_t bound : {std::size_t{1000}, 100 * kMebibyte}) {
    EXPECT_THROW(store.write(store.take_share(bound),
                             [](WritableFile& file) -> RunSummary {
                               file.append(std::vector<std::uint8_t>(500));
                               throw FormatError("failed");
                             }),
                 FormatError);
    EXPECT_EQ(temp_.used_bytes(), 0U);
    EXPECT_EQ(budget_.used_bytes(), 0U);
  }
}

}  // namespace
}  // namespace spillway
