// What the program finds and did not make, it leaves as it is: at the output, at OUT.work and among the scratch files
// of other jobs.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <thread>

#include "io/file/posix_file_system.hpp"
#include "io/scratch/job_files.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/running_program.hpp"

namespace spillway {
namespace {

using testing::bytes_of;
using testing::ProgramResult;
using testing::run_program;
using testing::run_spillway;
using testing::RunningProgram;
using testing::same_index;
using testing::ScratchDirectory;
using testing::write_bytes;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class ForeignFiles : public ::testing::Test {
 protected:
  ForeignFiles() {
    fs::create_directory(scratch_ / "temp");
    write_bytes(scratch_ / "in", "a line\nanother line\n");
    write_bytes(scratch_ / "old-in", "the old index\n");
  }

  // Puts a file, and the directories above it.
  void put(const std::string& name, const std::string& bytes) const {
    fs::create_directories(fs::path(scratch_ / name).parent_path());
    write_bytes(scratch_ / name, bytes);
  }
  Words index(const std::string& output, const Words& more = {}) const {
    Words words{"index", scratch_ / "in", "--format", "lines", "-o", scratch_ / output};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  void make_old(const std::string& output) const {
    const ProgramResult made =
        run_spillway({"index", scratch_ / "old-in", "--format", "lines", "-o", scratch_ / output});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  // Expects that the command is refused before it does anything, and that its message has these words.
  void expect_refused(const Words& command, const Words& words) const {
    const auto before = all();
    const ProgramResult result = run_spillway(command);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    for (const std::string& word : words) EXPECT_NE(result.err.find(word), std::string::npos) << result.err;
    EXPECT_EQ(all(), before);
  }
  void expect_done(const Words& command) const {
    const ProgramResult result = run_spillway(command);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  // All that is there, with its content and the time when it was last changed.
  std::map<std::string, std::string> all() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(scratch_.path())) {
      std::string& content = found[entry.path()];
      if (entry.is_symlink()) {
        content = "-> " + fs::read_symlink(entry.path()).string();
      } else if (entry.is_regular_file()) {
        content =
            std::to_string(entry.last_write_time().time_since_epoch().count()) + testing::read_bytes(entry.path());
      }
    }
    return found;
  }
  mode_t mode_of(const std::string& path) const {
    struct stat found {};
    EXPECT_EQ(stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 07777;
  }
  // A job that waits for its input, with its scratch files in temp/.
  std::unique_ptr<RunningProgram> start_job(const std::string& output) const {
    auto job = std::make_unique<RunningProgram>(Words{testing::program_path(), "index", "-", "--format", "lines", "-o",
                                                      scratch_ / output, "--temp-dir", scratch_ / "temp"},
                                                scratch_ / (output + ".errors"));
    job->write_input("a line\n");
    wait_until([&] { return fs::exists(scratch_ / (output + ".work/LOCK")) || job->has_ended(); });
    return job;
  }
  // The scratch directories in temp/ that have a lock.
  std::set<std::string> scratch_directories() const {
    std::set<std::string> found;
    for (const std::string& name : posix_file_system().list(scratch_ / "temp")) {
      if (fs::exists(scratch_ / ("temp/" + name + "/LOCK"))) found.insert(name);
    }
    return found;
  }
  static void wait_until(const std::function<bool()>& is_so) {
    for (int i = 0; i < 20000 && !is_so(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(is_so());
  }

  ScratchDirectory scratch_;
};

TEST_F(ForeignFiles, AtTheWorkDirectoryAreNotTouched) {
  put("leveldb.work/LOCK", "");
  put("leveldb.work/CURRENT", "MANIFEST-000001\n");
  put("leveldb.work/MANIFEST-000001", "x");
  expect_refused(index("leveldb"), {"leveldb.work is not a work directory", "CURRENT, LOCK, MANIFEST-000001"});
  put("lock.work/LOCK", "");
  expect_refused(index("lock"), {"lock.work is not a work directory"});
  put("empty-lock-and-run.work/LOCK", "");
  put("empty-lock-and-run.work/spillway-run-0", "x");
  expect_refused(index("empty-lock-and-run"), {"is not a work directory"});
  put("target", "x");
  fs::create_directory(scratch_ / "linked.work");
  fs::create_symlink(scratch_ / "target", scratch_ / "linked.work/LOCK");
  expect_refused(index("linked"), {"linked.work is not a work directory"});
  fs::create_directory_symlink(scratch_ / "leveldb.work", scratch_ / "link.work");
  expect_refused(index("link"), {"link.work is not a work directory", "link"});
  fs::create_directory(scratch_ / "fifo.work");
  ASSERT_EQ(mkfifo((scratch_ / "fifo.work/LOCK").c_str(), 0600), 0);
  expect_refused(index("fifo"), {"fifo.work is not a work directory"});
  make_old("one");
  expect_refused({"merge", scratch_ / "one", "-o", scratch_ / "leveldb"}, {"leveldb.work is not a work directory"});
}

TEST_F(ForeignFiles, AmongThoseOfAKilledJobAreNamedAndKept) {
  auto job = start_job("out");
  job->signal(SIGKILL);
  job->wait();
  ASSERT_TRUE(fs::exists(scratch_ / "out.work/LOCK"));
  put("out.work/thesis.tex", "x");
  expect_refused(index("out"), {"no job made: thesis.tex"});
  fs::remove(scratch_ / "out.work/thesis.tex");
  expect_done(index("out"));
  EXPECT_FALSE(fs::exists(scratch_ / "out.work"));
}

TEST_F(ForeignFiles, InAnIndexKeepItFromBeingReplaced) {
  make_old("out");
  for (const char* name : {"a.txt", "b.txt", "c.txt", "d.txt"}) put(std::string("out/") + name, "x");
  expect_refused(index("out", {"--force"}), {"not of an index: a.txt, b.txt, c.txt and 1 more"});
  expect_refused({"merge", scratch_ / "out", "-o", scratch_ / "out", "--force"}, {"not of an index: a.txt"});
  for (const char* name : {"a.txt", "b.txt", "c.txt", "d.txt"}) fs::remove(scratch_ / (std::string("out/") + name));
  expect_done(index("out", {"--force"}));
}

TEST_F(ForeignFiles, ThatPassForAnIndexAreNotReplaced) {
  put("forged/manifest", "SPWMANIF and no more");
  put("forged/postings", "x");
  expect_refused(index("forged", {"--force"}), {"damaged manifest"});
  make_old("out");
  std::string manifest = testing::read_bytes(scratch_ / "out/manifest");
  manifest[30] = static_cast<char>(manifest[30] ^ 1);
  write_bytes(scratch_ / "out/manifest", manifest);
  expect_refused(index("out", {"--force"}), {"damaged manifest"});
  put("file", "x");
  expect_refused(index("file", {"--force"}), {"no Spillway index"});
  expect_refused(index("file"), {"exists"});
  fs::create_directory(scratch_ / "empty");
  expect_refused(index("empty", {"--force"}), {"no Spillway index"});
}

TEST_F(ForeignFiles, ThatComeWhileAJobRunsAreNotReplaced) {
  for (const bool force : {false, true}) {
    Words words{testing::program_path(), "index", "-", "--format", "lines", "-o", scratch_ / "out"};
    if (force) words.push_back("--force");
    RunningProgram job(words, scratch_ / "errors");
    wait_until([&] { return fs::exists(scratch_ / "out.work/LOCK") || job.has_ended(); });
    put("out/thesis.tex", "x");
    job.close_input();
    EXPECT_EQ(job.wait().exit_code, 2) << testing::read_bytes(scratch_ / "errors");
    EXPECT_EQ(testing::read_bytes(scratch_ / "out/thesis.tex"), "x");
    EXPECT_FALSE(fs::exists(scratch_ / "out.work"));
    fs::remove_all(scratch_ / "out");
  }
}

TEST_F(ForeignFiles, AreNoReasonToRefuseALinkToAnIndex) {
  fs::create_directory(scratch_ / "disk");
  make_old("disk/real");
  fs::create_directory_symlink("disk/real", scratch_ / "out");
  const auto old = bytes_of(scratch_ / "disk/real");
  expect_refused(index("out"), {"--force"});
  for (const char* output : {"out", "out/"}) {
    expect_done(index(output, {"--force"}));
    EXPECT_EQ(fs::read_symlink(scratch_ / "out"), "disk/real");
    EXPECT_FALSE(bytes_of(scratch_ / "disk/real") == old);
  }
  EXPECT_EQ(posix_file_system().list(scratch_ / "disk"), Words{"real"});
}

TEST_F(ForeignFiles, AndTheWorkingDirectoryAreNotReplaced) {
  make_old("out");
  const std::string in_out = "cd '" + (scratch_ / "out") + "' && exec '" + testing::program_path() + "' index '" +
                             (scratch_ / "in") + "' --format lines --force -o ";
  const auto before = bytes_of(scratch_ / "out");
  for (const char* output : {".", "./", "../out", "..", "/"}) {
    const ProgramResult result = run_program({"/bin/sh", "-c", in_out + output});
    EXPECT_EQ(result.exit_code, 2) << output << ": " << result.err;
    EXPECT_TRUE(same_index(before, scratch_ / "out"));
  }
  EXPECT_FALSE(fs::exists(scratch_ / "out.work"));
}

TEST_F(ForeignFiles, CannotBeReadByOthersWhileAJobRuns) {
  write_bytes(scratch_ / "wide.sh", "umask 022; exec \"$@\"\n");
  RunningProgram job({"/bin/sh", scratch_ / "wide.sh", testing::program_path(), "index", "-", "--format", "lines", "-o",
                      scratch_ / "out", "--temp-dir", scratch_ / "temp", "--memory", "96M", "--block-bytes", "1500",
                      "--record-sorter", "cpu-radix"},
                     scratch_ / "errors");
  const auto spilled = [&]() -> std::string {
    for (const std::string& name : scratch_directories()) {
      for (const std::string& file : posix_file_system().list(scratch_ / ("temp/" + name))) {
        if (file != kLockName) return scratch_ / ("temp/" + name + "/" + file);
      }
    }
    return "";
  };
  for (int i = 0; i < 20000 && spilled().empty() && !job.has_ended(); ++i) {
    job.write_input("line " + std::to_string(i) + " of text, in which word" + std::to_string(i) + " is new\n");
  }
  const std::string file = spilled();
  ASSERT_FALSE(file.empty()) << testing::read_bytes(scratch_ / "errors");
  EXPECT_EQ(mode_of(file), 0600U);
  EXPECT_EQ(mode_of(fs::path(file).parent_path()), 0700U);
  EXPECT_EQ(mode_of(scratch_ / "out.work"), 0700U);
  EXPECT_EQ(mode_of(scratch_ / "out.work/LOCK"), 0600U);
  job.close_input();
  EXPECT_EQ(job.wait().exit_code, 0) << testing::read_bytes(scratch_ / "errors");
  EXPECT_EQ(mode_of(scratch_ / "out"), 0755U) << "what is published is for all whom the umask lets";
  for (const auto& entry : fs::directory_iterator(scratch_ / "out")) EXPECT_EQ(mode_of(entry.path()), 0644U) << entry;
}

TEST_F(ForeignFiles, OfJobsAtTheSameTimeStayAndThoseOfKilledJobsGo) {
  const auto live = start_job("live");
  wait_until([&] { return scratch_directories().size() == 1; });
  const std::set<std::string> of_live = scratch_directories();
  const auto killed = start_job("killed");
  wait_until([&] { return scratch_directories().size() == 2; });
  put("temp/.spillway-AAAAAA/LOCK", "another program's");
  put("temp/.spillway-AAAAAA/spillway-run-0", "x");
  killed->signal(SIGKILL);
  killed->wait();
  EXPECT_EQ(scratch_directories().size(), 3U);
  expect_done(index("third", {"--temp-dir", scratch_ / "temp"}));
  std::set<std::string> expected = of_live;
  expected.insert(".spillway-AAAAAA");
  EXPECT_EQ(scratch_directories(), expected);
  EXPECT_EQ(testing::read_bytes(scratch_ / "temp/.spillway-AAAAAA/spillway-run-0"), "x");
  live->write_input("another line\n");
  live->close_input();
  EXPECT_EQ(live->wait().exit_code, 0) << testing::read_bytes(scratch_ / "live.errors");
  EXPECT_EQ(posix_file_system().list(scratch_ / "temp"), Words{".spillway-AAAAAA"});
}

TEST_F(ForeignFiles, AndMountPointsAreNotReplaced) {
  make_old("old");
  fs::create_directory(scratch_ / "out");
  const auto in_namespace = [&](const std::string& command) {
    return run_program({"/usr/bin/unshare", "--user", "--map-root-user", "--mount", "/bin/sh", "-c",
                        "mount --bind \"$0/old\" \"$0/out\" && " + command, scratch_.path(), testing::program_path()});
  };
  if (in_namespace("true").exit_code != 0) GTEST_SKIP() << "no namespaces here";
  const auto before = all();
  const ProgramResult result = in_namespace("exec \"$1\" index \"$0/in\" --format lines -o \"$0/out\" --force");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("mount point"), std::string::npos) << result.err;
  EXPECT_EQ(all(), before);
}

// Two containers have the same paths and process numbers, and a file system in common.
TEST_F(ForeignFiles, OfTheSameJobInAnotherContainerStay) {
  for (const char* name : {"mount", "one", "two"}) fs::create_directory(scratch_ / name);
  const Words unshare{"/usr/bin/unshare", "--user", "--map-root-user", "--mount", "--pid", "--kill-child"};
  Words probe = unshare;
  probe.insert(probe.end(), {"mount", "--bind", scratch_ / "one", scratch_ / "mount"});
  if (run_program(probe).exit_code != 0) GTEST_SKIP() << "no namespaces here";
  const auto start = [&](const std::string& name) {
    Words words = unshare;
    words.insert(words.end(), {"/bin/sh",
                               "-c",
                               "mount --bind \"$0\" \"$1\" && shift && exec \"$@\"",
                               scratch_ / name,
                               scratch_ / "mount",
                               testing::program_path(),
                               "index",
                               "-",
                               "--format",
                               "lines",
                               "-o",
                               scratch_ / "mount/out",
                               "--temp-dir",
                               scratch_ / "temp",
                               "--memory",
                               "96M",
                               "--block-bytes",
                               "1500",
                               "--record-sorter",
                               "cpu-radix"});
    return std::make_unique<RunningProgram>(words, scratch_ / (name + ".errors"));
  };
  const auto write = [&](RunningProgram& job) {
    for (int i = 0; i < 3000; ++i)
      job.write_input("line " + std::to_string(i) + " with word" + std::to_string(i) + "\n");
  };
  const auto one = start("one");
  write(*one);
  wait_until([&] { return scratch_directories().size() == 1 || one->has_ended(); });
  const auto two = start("two");
  write(*two);
  wait_until([&] { return scratch_directories().size() == 2 || two->has_ended(); });
  for (const auto& job : {one.get(), two.get()}) {
    write(*job);
    job->close_input();
  }
  EXPECT_EQ(one->wait().exit_code, 0) << testing::read_bytes(scratch_ / "one.errors");
  EXPECT_EQ(two->wait().exit_code, 0) << testing::read_bytes(scratch_ / "two.errors");
  EXPECT_TRUE(same_index(bytes_of(scratch_ / "one/out"), scratch_ / "two/out"));
  EXPECT_TRUE(fs::is_empty(scratch_ / "temp"));
}

}  // namespace
}  // namespace spillway
