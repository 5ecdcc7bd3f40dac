// Runs real jobs on file systems that are full or read-only: small ones in memory, mounted in a namespace of their own.
#include "tests/end_to_end/process/jobs.hpp"
#include "tests/support/places.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_program;
namespace fs = std::filesystem;

class JobsOnSmallDisks : public testing::ProcessJobs {
 protected:
  void SetUp() override {
    ProcessJobs::SetUp();
    fs::create_directory(scratch_ / "copy");
    if (on_disk("size=1m", {"/bin/true"}).exit_code != 0) GTEST_SKIP() << "no file system can be mounted here";
  }

  // Runs the words with a new file system at `place` (see disk_). What is on it afterwards is moved to copy/.
  ProgramResult on_disk(const std::string& options, const Words& words) const {
    constexpr const char* kScript =
        "mount -t tmpfs -o \"$0\" none \"$1\" || exit 99; copy=$2; disk=$1; shift 2; cd \"$copy\"; \"$@\"; code=$?; "
        "cp -a \"$disk\"/. \"$copy\"; exit $code";
    Words all{"/usr/bin/unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c", kScript, options, disk_,
              scratch_ / "copy"};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all);
  }
  ProgramResult job_on_disk(const std::string& options, Words words) const {
    words.insert(words.begin(), testing::program_path());
    return on_disk(options, words);
  }

  // Jobs on disks from too small to large enough. Returns how many succeeded.
  void try_options(const std::vector<std::string>& options) {
    for (const Words& job : {index_words(), merge_words()}) {
      int succeeded = 0, failed = 0;
      for (const std::string& option : options) {
        SCOPED_TRACE(job[0] + " on a disk with " + option);
        const ProgramResult result = job_on_disk(option, job);
        take_copy();
        (check_end(result, {{2, "No space left"}, {4, "make room"}}) ? succeeded : failed) += 1;
      }
      EXPECT_GT(succeeded, 0) << job[0];
      EXPECT_GT(failed, expects_failures_ ? 0 : -1) << job[0];
    }
  }
  // Puts what was on the disk where the checks look for it.
  void take_copy() const {
    for (const auto& entry : fs::directory_iterator(scratch_ / "copy")) {
      fs::rename(entry.path(), fs::path(disk_) / entry.path().filename());
    }
  }

  std::string disk_ = scratch_ / "place";
  bool expects_failures_ = true;
};

TEST_F(JobsOnSmallDisks, EndCleanlyWhereTheOutputIsFull) {
  try_options({"size=4k", "size=16k", "size=64k", "size=128k", "size=256k", "size=64m", "nr_inodes=4", "nr_inodes=8"});
}

TEST_F(JobsOnSmallDisks, EndCleanlyWhereTheScratchIsFull) {
  disk_ = scratch_ / "temp";
  expects_failures_ = false;  // a merge of two indexes needs no scratch
  try_options({"size=4k", "size=16k", "size=64k", "size=64m", "nr_inodes=2"});
}

TEST_F(JobsOnSmallDisks, RefuseAReadOnlyOne) {
  for (const std::string place : {"place", "temp"}) {
    disk_ = scratch_ / place;
    for (const Words& job : {index_words(), merge_words()}) {
      SCOPED_TRACE(job[0] + " with a read-only " + place);
      const ProgramResult result = job_on_disk("size=1m,ro", job);
      take_copy();
      if (place == "temp" && job[0] == "merge") continue;  // it may need no scratch
      EXPECT_FALSE(check_end(result, {{2, "ead-only"}}));
    }
  }
}

}  // namespace
}  // namespace spillway
