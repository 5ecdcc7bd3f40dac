// Tests that jobs that take space for their lists ahead make the same index, which keeps no more space than it needs.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "io/base/error.hpp"
#include "tests/end_to_end/same_bytes.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;

// Every job is large, and has threads to spare.
constexpr SpaceAheadOptions kAlways{.least_index_bytes = 0, .least_threads = 1, .step_bytes = 4096};

// The parameter: the directory of the index.
class SpaceAheadOfLists : public testing::SameBytes, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(GetParam())) GTEST_SKIP() << "there is no " << GetParam();
  }
  IndexOptions job_ahead(const ScratchDirectory& directory) const {
    IndexOptions options = job({scratch_ / "in"});
    options.output = directory / "index";
    options.space_ahead = kAlways;
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(, SpaceAheadOfLists, ::testing::Values("/tmp", "/dev/shm"),
                         [](const auto& tested) { return tested.index == 0 ? "Temporary" : "Memory"; });

void expect_no_space_but_its_own(const std::string& path) {
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0) << path;
  EXPECT_LE(status.st_blocks * 512, status.st_size + 65536) << path;
}

TEST_P(SpaceAheadOfLists, ChangesNoByte) {
  for (const bool positions : {false, true}) {
    content_options_.positions = positions;
    set_random_corpus(81, 2000);
    for (const std::uint64_t block_bytes : {0, 30000}) {
      SCOPED_TRACE(::testing::Message() << positions << " " << block_bytes);
      const ScratchDirectory directory{GetParam()};
      IndexOptions options = job_ahead(directory);
      options.block_bytes = block_bytes;
      testing::run_job(options);
      EXPECT_TRUE(testing::same_index(expected_, options.output));
      for (const auto& [name, bytes] : expected_) expect_no_space_but_its_own(options.output + "/" + name);
    }
  }
}

TEST_P(SpaceAheadOfLists, LeavesNothingOfAJobThatFails) {
  set_random_corpus(82, 2000);
  const ScratchDirectory directory{GetParam()};
  IndexOptions options = job_ahead(directory);
  options.block_bytes = 30000;
  const auto ignore = [](const std::string&) {};
  for (const int signal : {SIGINT, 0}) {
    std::atomic<int> signal_number{signal};
    IndexProgress progress;
    IndexReport report;
    if (signal == 0) {  // a record is broken
      testing::write_bytes(scratch_ / "in", content_ + "{\n");
      options.strict = true;
    }
    EXPECT_THROW(run_index(options, {posix_file_system(), signal_number, progress, ignore, ignore}, report), Error);
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  }
}

TEST_P(SpaceAheadOfLists, LeavesResumableJobsAsTheyAre) {
  set_random_corpus(83, 300);
  const ScratchDirectory directory{GetParam()};
  IndexOptions options = job_ahead(directory);
  options.resume.resumable = true;
  testing::run_job(options);
  EXPECT_TRUE(testing::same_index(expected_, options.output));
}

}  // namespace
}  // namespace spillway
