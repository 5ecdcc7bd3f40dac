// Files that are no regular files, wherever an option or an operand names one: the program refuses them, or waits for
// their bytes until a signal comes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "io/file/posix_file_system.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/running_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_spillway;
using testing::ScratchDirectory;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class OtherFiles : public ::testing::Test {
 protected:
  OtherFiles() {
    std::ofstream(documents_) << R"({"id":"a","text":"the one"})"
                              << "\n"
                              << R"({"id":"b","text":"the other"})"
                              << "\n";
    EXPECT_EQ(run_spillway({"index", documents_, "-o", index_, "-q"}).exit_code, 0);
    EXPECT_EQ(mkfifo(fifo_.c_str(), 0600), 0);
  }
  // Every place where the program reads `file`, which may be a pipe.
  std::vector<Words> readers_of(const std::string& file) const {
    const std::string out = scratch_ / "out";
    return {{"index", file, "--format", "lines", "-o", out},
            {"index", "@" + file, "-o", out},
            {"index", documents_, "--stop", file, "-o", out},
            {"plan", "@" + file},
            {"plan", documents_, "--stop", file},
            {"merge", index_, "--drop", file, "-o", out},
            {"search", index_, "--queries", file},
            {"bench", "modes", "@" + file, "--scratch", scratch_.path()}};
  }
  void expect_refused(const Words& words, int exit_code, const std::string& part) const {
    const ProgramResult result = run_spillway(words);
    EXPECT_EQ(result.exit_code, exit_code) << words[0] << " " << words[1] << ": " << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << words[0] << " " << words[1] << ": " << result.err;
    EXPECT_FALSE(fs::exists(scratch_ / "out"));
    EXPECT_FALSE(fs::exists(scratch_ / "out.work"));
  }

  const ScratchDirectory scratch_;
  const std::string documents_ = scratch_ / "in.jsonl", index_ = scratch_ / "index", fifo_ = scratch_ / "fifo";
};

TEST_F(OtherFiles, InAnIndexAreRefused) {
  for (const char* name : {"manifest", "terms", "postings"}) {
    fs::rename(index_ + "/" + name, scratch_ / "kept");
    ASSERT_EQ(mkfifo((index_ + "/" + name).c_str(), 0600), 0);
    for (const Words& words : {Words{"stats", index_},
                               {"search", index_, "x"},
                               {"dump", index_, "terms"},
                               {"doc", index_, "a"},
                               {"merge", index_, "-o", scratch_ / "out"}}) {
      expect_refused(words, 5, "found a FIFO");
    }
    expect_refused({"verify", index_}, 1, "found a FIFO");
    fs::remove(index_ + "/" + name);
    fs::rename(scratch_ / "kept", index_ + "/" + name);
  }
}

TEST_F(OtherFiles, ThatCannotBeReadAreNamed) {
  for (const Words& words : readers_of(scratch_.path())) {
    if (words[1] != scratch_.path()) expect_refused(words, 2, "found a directory");
  }
  expect_refused({"index", "/dev/null", "-o", scratch_ / "out"}, 2, "is a device");
  expect_refused({"bench", "sort", "strings", "--lines", fifo_}, 2, "found a FIFO");
  expect_refused({"index", documents_, "-o", scratch_ / "out", "--json", scratch_.path()}, 2, "is a directory");
}

TEST_F(OtherFiles, AreWaitedForUntilASignalComes) {
  int turn = 0;
  for (const Words& words : readers_of(fifo_)) {
    SCOPED_TRACE(words[0] + " " + words[1] + " " + words[2 % words.size()]);
    Words all = words;
    all.insert(all.begin(), testing::program_path());
    testing::RunningProgram program(all, scratch_ / "errors");
    const int writer = open(fifo_.c_str(), O_WRONLY | O_CLOEXEC);  // waits until the program has opened it
    ASSERT_GE(writer, 0);
    const int number = turn++ % 3 == 0 ? SIGINT : turn % 3 == 1 ? SIGTERM : SIGHUP;
    program.signal(number);
    EXPECT_EQ(program.wait().signal, number) << read_file(posix_file_system(), scratch_ / "errors");
    close(writer);
    EXPECT_FALSE(fs::exists(scratch_ / "out"));
    EXPECT_FALSE(fs::exists(scratch_ / "out.work"));
  }
}

TEST_F(OtherFiles, AreReadWherePipesMakeSense) {
  const std::string out = scratch_ / "out", stopped = scratch_ / "stopped";
  const std::string script =
      "set -e\n"
      "$0 index @<(echo $1) --stop <(echo the) -o $2 -q\n"
      "$0 merge $2 --drop <(echo a) -o $3 -q\n"
      "$0 search $2 --queries <(printf '7\\tother\\n') --format msmarco\n"
      "$0 dump $3 terms\n"
      "cat $1 | $0 index - -o $2.again -q\n"
      "$0 index <(cat $1) -o $2.third --json >(cat > $4) -q\n";
  const ProgramResult result = testing::run_program(
      {"/bin/bash", "-c", script, testing::program_path(), documents_, out, stopped, scratch_ / "report"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "7\tb\t1\nother\t1\t1\n") << result.err;
}

// Files below /proc say that they have no bytes.
TEST_F(OtherFiles, WithoutASizeAreReadToTheirEnd) {
  const std::string out = scratch_ / "out";
  const ProgramResult made = run_spillway({"index", "--format", "lines", "/proc/cpuinfo", "-o", out});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.err.find("indexed 0 documents"), std::string::npos) << made.err;
  fs::remove_all(out);
  const ProgramResult text = run_spillway({"index", "/proc/self/status", "-o", out});
  EXPECT_NE(text.err.find("indexed 1 document"), std::string::npos) << text.err;
  fs::remove_all(out);
  expect_refused({"index", "--format", "lines", "/proc/cpuinfo", "--part", "1/2", "-o", out}, 2, "--part needs inputs");
}

}  // namespace
}  // namespace spillway
