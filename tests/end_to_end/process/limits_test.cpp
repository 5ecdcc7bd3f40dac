// Runs real jobs under limits of the system: sizes of files, open files, address space, and the memory of a cgroup.
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

#include "tests/end_to_end/process/jobs.hpp"
#include "tests/support/places.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_program;
using testing::run_spillway;
namespace fs = std::filesystem;

class LimitedJobs : public testing::ProcessJobs {
 protected:
  struct Case {
    int resource;
    std::vector<std::size_t> values;  // from too low to high enough
    Refusals refusals;
  };

  // Under the lowest values a job fails, under the highest both succeed.
  void try_values(const Case& limit) {
    int failed = 0;
    for (const Words& job : {index_words(), merge_words()}) {
      int succeeded = 0;
      for (const std::size_t value : limit.values) {
        // With less, the program itself does not start.
        if (run_spillway({"--version"}, {.limits = {{limit.resource, value}}}).exit_code != 0) continue;
        SCOPED_TRACE(job[0] + " with a limit of " + std::to_string(value));
        const ProgramResult result = run_spillway(job, {.limits = {{limit.resource, value}}});
        (check_end(result, limit.refusals) ? succeeded : failed) += 1;
      }
      EXPECT_GT(succeeded, 0) << job[0];
    }
    EXPECT_GT(failed, 0);
  }
};

TEST_F(LimitedJobs, EndCleanlyWhereFilesMayNotGrow) {
  try_values({RLIMIT_FSIZE, {1 << 10, 4 << 10, 16 << 10, 64 << 10, 64 << 20}, {{2, "too large"}}});
}

TEST_F(LimitedJobs, EndCleanlyWithFewOpenFiles) {
  std::vector<std::size_t> values;
  for (std::size_t count = 5; count < 48; count += 3) values.push_back(count);
  values.push_back(256);
  try_values({RLIMIT_NOFILE, values, {{2, "open files"}, {4, "open files"}}});
}

TEST_F(LimitedJobs, EndCleanlyWithLittleAddressSpace) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve terabytes of addresses";
#endif
  std::vector<std::size_t> values;
  for (const std::size_t mebibytes : {60, 80, 100, 120, 140, 160, 200, 280, 400, 800, 4096}) {
    values.push_back(mebibytes << 20);
  }
  try_values({RLIMIT_AS, values, {{2, "ulimit -v"}, {4, "memory"}}});
}

void write_many_lines(const std::string& path) {
  std::ofstream out(path);
  for (std::uint64_t i = 0; i < 400'000; ++i) out << "document " << i << " has word" << i * 7919 % 1'000'003 << "\n";
}

// A cgroup with a limit of its memory, of version 2 or 1; removed at the end.
class MemoryCgroup {
 public:
  explicit MemoryCgroup(std::size_t bytes) {
    const std::string name = "/spillway-test-" + std::to_string(getpid());
    made_ = make("/sys/fs/cgroup" + name, "memory.max", "memory.swap.max", bytes) ||
            make("/sys/fs/cgroup/memory" + name, "memory.limit_in_bytes", "", bytes);
  }
  ~MemoryCgroup() {
    if (made_) rmdir(path_.c_str());
  }
  MemoryCgroup(const MemoryCgroup&) = delete;
  MemoryCgroup& operator=(const MemoryCgroup&) = delete;

  bool made() const { return made_; }
  ProgramResult run(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"/bin/sh", "-c", "echo $$ >\"$0/cgroup.procs\" && exec \"$@\"", path_};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all);
  }

 private:
  bool make(const std::string& path, const std::string& limit, const std::string& swap, std::size_t bytes) {
    std::error_code error;
    if (!fs::exists(fs::path(path).parent_path() / "cgroup.procs", error)) return false;  // no cgroup of this version
    if (!fs::create_directory(path, error)) return false;
    path_ = path;
    if (!swap.empty() && fs::exists(path + "/" + swap)) std::ofstream(path + "/" + swap) << 0;
    if (fs::exists(path + "/" + limit)) {
      std::ofstream file(path + "/" + limit);
      if (file << bytes << std::flush) return true;
    }
    rmdir(path.c_str());
    return false;
  }

  std::string path_;
  bool made_ = false;
};

TEST_F(LimitedJobs, KeepToTheMemoryOfACgroupThatKillsOthers) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  constexpr std::size_t kLimit = std::size_t{128} << 20;
  const MemoryCgroup group(kLimit);
  if (!group.made()) GTEST_SKIP() << "no memory cgroup can be made here";
  // The control: what takes more is killed. (tail keeps what it may have to print.)
  const ProgramResult control =
      group.run({"/bin/sh", "-c", "head -c 400000000 /dev/zero | tail -c 300000000 >/dev/null"});
  ASSERT_EQ(control.exit_code, 128 + SIGKILL) << "code " << control.exit_code << ": " << control.err;
  // On a disk: files in memory would count for the group.
  const std::string place = testing::program_path() + ".cgroup-test";
  fs::remove_all(place);
  fs::create_directory(place);
  write_many_lines(place + "/in");
  // Jobs whose blocks and runs are as large as --memory, or half of the limit, lets them be.
  for (const Words& memory : {Words{}, Words{"--memory", "110M"}}) {
    Words index{testing::program_path(), "index", place + "/in", "--format", "lines", "-o", place + "/out", "--force"};
    index.insert(index.end(), memory.begin(), memory.end());
    const ProgramResult made = group.run(index);
    EXPECT_EQ(made.exit_code, 0) << "signal " << made.signal << ": " << made.err;
    Words merge{testing::program_path(), "merge", place + "/out", "-o", place + "/merged", "--force"};
    merge.insert(merge.end(), memory.begin(), memory.end());
    const ProgramResult merged = group.run(merge);
    EXPECT_EQ(merged.exit_code, 0) << "signal " << merged.signal << ": " << merged.err;
    EXPECT_TRUE(testing::same_index(testing::bytes_of(place + "/out"), place + "/merged"));
  }
  fs::remove_all(place);
}

}  // namespace
}  // namespace spillway
