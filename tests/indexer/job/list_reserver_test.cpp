#include "indexer/job/list_reserver.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "io/file/posix_file_system.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{1} << 20;

// An index that is opened in memory, where that is possible, and runs of 10 million postings.
class ListReserverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(kMemory)) GTEST_SKIP() << "there is no " << kMemory;
    if (!posix_file_system().is_in_memory(kMemory)) GTEST_SKIP() << kMemory << " is no file system in memory";
    files_.set_free_bytes(std::uint64_t{1} << 40);
    progress_.run_postings = progress_.run_occurrences = 10'000'000;
  }
  // By all parts of a section.
  std::uint64_t taken_bytes(Section section) const {
    std::uint64_t bytes = 0;
    for (unsigned part = 0; part < kListParts; ++part) {
      struct stat status {};
      const std::string path = scratch_ / "index/" + std::string(section_name(list_part(section, part)));
      EXPECT_EQ(::stat(path.c_str(), &status), 0);
      bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
    }
    return bytes;
  }
  ListReserverSetup setup(Positions positions = Positions::kNone) {
    return {.writer = writer_,
            .files = files_,
            .directory = "/job",
            .progress = progress_,
            .positions = positions,
            .step_bytes = kStep,
            .probable_bytes = 20 * kStep};
  }
  // Waits, ten seconds at most, until a section has taken `bytes`.
  void await(Section section, std::uint64_t bytes) const {
    for (int i = 0; i < 10'000 && taken_bytes(section) < bytes; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GE(taken_bytes(section), bytes);
  }

  static constexpr const char* kMemory = "/dev/shm";
  const testing::ScratchDirectory scratch_{
      std::filesystem::is_directory(kMemory) ? kMemory : std::filesystem::temp_directory_path().c_str()};
  IndexWriter writer_{posix_file_system(), scratch_ / "index", {}};
  testing::FaultyFileSystem files_;  // tells how much is free
  IndexProgress progress_;
};

TEST_F(ListReserverTest, FollowsThePostingsOfRuns) {
  const ListReserver reserver(setup());
  await(Section::kPostings, 10 * kStep);
  progress_.run_postings = 20'000'000;
  await(Section::kPostings, 20 * kStep);
  EXPECT_LT(taken_bytes(Section::kPostings), 25'000'000 + kStep) << "hardly ever more than the index has";
  EXPECT_LT(taken_bytes(Section::kPositions), kStep) << "the index has none";
}

TEST_F(ListReserverTest, TakesSpaceForPositionsToo) {
  const ListReserver reserver(setup(Positions::kStored));
  await(Section::kPostings, 10 * kStep);
  await(Section::kPositions, 4 * kStep);
  EXPECT_LT(taken_bytes(Section::kPositions), 5'000'000 + kStep);
}

TEST_F(ListReserverTest, LeavesTwiceWhatIsMissingFree) {
  files_.set_free_bytes(2 * 15 * kStep + kStep);  // enough once five steps are taken
  {
    const ListReserver reserver(setup());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_LT(taken_bytes(Section::kPostings), kStep);
  files_.set_free_bytes(2 * 19 * kStep + kStep);
  const ListReserver reserver(setup());
  await(Section::kPostings, 10 * kStep);
}

TEST_F(ListReserverTest, EndsAtOnce) {
  progress_.run_postings = 10'000'000'000;
  const auto begin = std::chrono::steady_clock::now();
  { const ListReserver reserver(setup()); }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_LT(taken_bytes(Section::kPostings), 1000 * kStep);
}

TEST(ListReserver, IsForLargeIndexesManyThreadsAndEnoughMemory) {
  JobEstimate estimate;
  estimate.index_bytes = 1000;
  const SpaceAheadOptions options{.least_index_bytes = 1000, .least_threads = 8};
  EXPECT_TRUE(may_reserve_lists(options, estimate, 8, 1000));
  EXPECT_FALSE(may_reserve_lists(options, estimate, 7, 1000));
  EXPECT_FALSE(may_reserve_lists(options, estimate, 8, std::uint64_t{1} << 60)) << "no machine has so much memory";
  estimate.index_bytes = 999;
  EXPECT_FALSE(may_reserve_lists(options, estimate, 8, 1000));
  estimate.index_bytes = 1000;
  estimate.is_known = false;
  EXPECT_FALSE(may_reserve_lists(options, estimate, 8, 1000));
}

}  // namespace
}  // namespace spillway
