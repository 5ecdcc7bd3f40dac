// Stops jobs by kill -9 and by signals at any file operation, and by outputs that they may not write. Afterwards there
// is no index or a whole one, and the next job with the same output succeeds and cleans up.
#include <gtest/gtest.h>
#include <signal.h>

#include "io/file/posix_file_system.hpp"
#include "io/index/verify.hpp"
#include "io/scratch/owned_directory.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/running_program.hpp"

namespace spillway {
namespace {

using testing::bytes_of;
using testing::ProgramResult;
using testing::run_spillway;
using testing::run_spillway_with_signal;
using testing::RunningProgram;
using testing::same_index;
using testing::ScratchDirectory;
using testing::write_bytes;
namespace fs = std::filesystem;

constexpr const char* kMemory = "96M";  // so little that runs are spilled

class Jobs : public ::testing::Test {
 protected:
  Jobs() {
    fs::create_directory(scratch_ / "temp");
    fs::create_directory(scratch_ / "place");
  }

  // A corpus whose job spills many runs; the bytes of its index.
  void set_corpus(std::size_t documents) {
    testing::RandomDocuments shape;
    shape.count = documents;
    shape.words = 100;
    shape.long_document_words = 400;
    write_bytes(scratch_ / "in.jsonl", testing::jsonl_of(testing::random_corpus(1, shape, false)));
    operations_ = testing::count_file_operations(job(scratch_ / "reference", {"--json", scratch_ / "report"}));
    expected_ = bytes_of(scratch_ / "reference");
    const auto report = nlohmann::json::parse(testing::read_bytes(scratch_ / "report"));
    if (documents >= 500) {
      ASSERT_GT(report.at("runs_spilled"), 0);
    }
  }

  std::vector<std::string> job(const std::string& output, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"index",
                                   scratch_ / "in.jsonl",
                                   "-o",
                                   output,
                                   "--temp-dir",
                                   scratch_ / "temp",
                                   "--threads",
                                   "3",
                                   "--memory",
                                   kMemory,
                                   "--block-bytes",
                                   "1500",
                                   "--stem",
                                   "english",
                                   "--max-error-rate",
                                   "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Operations spread over the whole job. The number of operations differs a little between jobs; each has these.
  std::vector<std::uint64_t> moments(std::uint64_t count) const {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(i * (operations_ * 9 / 10) / (count - 1));
    return numbers;
  }
  std::unique_ptr<RunningProgram> start(std::vector<std::string> words) const {
    words.insert(words.begin(), testing::program_path());
    return std::make_unique<RunningProgram>(words, scratch_ / "errors");
  }
  std::string errors() const { return testing::read_bytes(scratch_ / "errors"); }

  void expect_no_leftovers() const {
    EXPECT_FALSE(fs::exists(output_ + ".work"));
    EXPECT_TRUE(fs::is_empty(scratch_ / "temp"));
    for (const auto& entry : fs::directory_iterator(scratch_ / "place")) EXPECT_EQ(entry.path(), output_);
  }
  void expect_whole() const {
    EXPECT_TRUE(same_index(expected_, output_));
    const IndexReader index(posix_file_system(), output_);
    EXPECT_NO_THROW(verify_index(index));
  }
  ScratchDirectory scratch_;
  std::string output_ = scratch_ / "place/out";
  std::uint64_t operations_ = 0;
  std::map<std::string, std::string> expected_;
};

class KilledJobs : public Jobs {
 protected:
  // Kills jobs at file operations spread over them, and at those that publish. `found` sees what stands at the output
  // after each.
  void kill_at_moments(const std::vector<std::string>& more, const std::function<void()>& found) {
    for (const std::uint64_t moment : moments(10)) kill_at({"any", moment, SIGKILL}, more, found);
    for (const char* publishing : {"fsync", "rename"}) kill_at({publishing, 0, SIGKILL}, more, found);
  }

 private:
  void kill_at(const testing::SignalAt& at, const std::vector<std::string>& more, const std::function<void()>& found) {
    if (HasFailure()) return;
    SCOPED_TRACE(at.function + " " + std::to_string(at.number) + " of " + std::to_string(operations_));
    const ProgramResult result = run_spillway_with_signal(job(output_, more), at);
    EXPECT_EQ(result.signal, SIGKILL) << result.err;
    found();
  }
};

TEST_F(KilledJobs, LeaveNoIndexOrAWholeOneAndTheNextJobSucceeds) {
  set_corpus(500);
  kill_at_moments({}, [&] {
    if (fs::exists(output_)) {
      expect_whole();
      fs::remove_all(output_);
    }
    const ProgramResult next = run_spillway(job(output_));
    EXPECT_EQ(next.exit_code, 0) << next.err;
    expect_whole();
    expect_no_leftovers();
    fs::remove_all(output_);
  });
}

// Without --force a job never replaces an index, not even one that a killed job had moved aside.
TEST_F(KilledJobs, LeaveTheOldIndexOrTheNewOneWhenTheyReplaceOne) {
  set_corpus(500);
  write_bytes(scratch_ / "old.jsonl", R"({"id":"old","text":"the old index"})"
                                      "\n");
  const std::vector<std::string> make_old{"index", scratch_ / "old.jsonl", "-o", output_};
  ASSERT_EQ(run_spillway(make_old).exit_code, 0);
  const auto old = bytes_of(output_);
  for (const char* directory : {"a", "b"}) fs::create_directory(scratch_ / directory);
  const bool by_exchange = posix_file_system().exchange(scratch_ / "a", scratch_ / "b");
  kill_at_moments({"--force"}, [&] {
    EXPECT_TRUE(!by_exchange || fs::exists(output_)) << "there is an index at any moment";
    const ProgramResult refused = run_spillway(job(output_));
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    ASSERT_TRUE(fs::exists(output_));
    const auto found = bytes_of(output_);
    EXPECT_TRUE(found == old || found == expected_);
    const ProgramResult next = run_spillway(job(output_, {"--force"}));
    EXPECT_EQ(next.exit_code, 0) << next.err;
    expect_whole();
    expect_no_leftovers();
    fs::remove_all(output_);
    ASSERT_EQ(run_spillway(make_old).exit_code, 0);
  });
}

TEST_F(KilledJobs, GiveBackAnIndexThatWasMovedAside) {
  set_corpus(20);
  { const auto left = OwnedDirectory::take(posix_file_system(), output_ + ".work"); }
  // Leaves what a job leaves that was killed between its two renames, on a file system that cannot exchange names.
  fs::rename(scratch_ / "reference", output_ + ".work/replaced");
  const ProgramResult refused = run_spillway(job(output_));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--force"), std::string::npos) << refused.err;
  expect_whole();
  expect_no_leftovers();
}

class SignalledJobs : public Jobs, public ::testing::WithParamInterface<int> {};

TEST_P(SignalledJobs, LeaveNothingAtAnyMoment) {
  set_corpus(500);
  for (const std::uint64_t moment : moments(10)) {
    SCOPED_TRACE("operation " + std::to_string(moment) + " of " + std::to_string(operations_));
    const ProgramResult result = run_spillway_with_signal(job(output_), {"any", moment, GetParam()});
    EXPECT_EQ(result.signal, GetParam()) << result.exit_code << result.err;
    EXPECT_FALSE(fs::exists(output_));
    expect_no_leftovers();
  }
}

TEST_P(SignalledJobs, AreDoneIfTheyPublishAlready) {
  set_corpus(20);
  const ProgramResult result = run_spillway_with_signal(job(output_), {"rename", 0, GetParam()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_whole();
  expect_no_leftovers();
}

TEST_P(SignalledJobs, LeaveNothingWhileTheyWaitForInput) {
  const auto program = start({"index", "-", "--format", "lines", "-o", output_, "--temp-dir", scratch_ / "temp"});
  program->write_input("a line\nand half of one");
  program->wait_until_input_is_read();
  program->signal(GetParam());
  EXPECT_EQ(program->wait().signal, GetParam()) << errors();
  EXPECT_FALSE(fs::exists(output_));
  expect_no_leftovers();
}

TEST_P(SignalledJobs, KeepTheIndexThatTheyWereToReplace) {
  set_corpus(20);
  fs::rename(scratch_ / "reference", output_);
  const auto program = start({"index", "-", "--format", "lines", "-o", output_, "--force"});
  program->write_input("a line\nand half of one");
  program->wait_until_input_is_read();
  program->signal(GetParam());
  EXPECT_EQ(program->wait().signal, GetParam()) << errors();
  expect_whole();
  expect_no_leftovers();
}

std::string signal_name(int number) {
  return number == SIGINT ? "Interrupt" : number == SIGTERM ? "Terminate" : "HangUp";
}

INSTANTIATE_TEST_SUITE_P(By, SignalledJobs, ::testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& tested) { return signal_name(tested.param); });

// A record of 15 MiB is held in memory with so much of it. Words of Thai take long to find.
TEST(InterruptedJobs, DoNotParseALongRecordToItsEnd) {
  const ScratchDirectory scratch;
  std::string text;
  while (text.size() < std::size_t{15} << 20) text += "สวัสดีชาวโลกนี่คือข้อความทดสอบ ";
  write_bytes(scratch / "in.jsonl", R"({"id":"a","text":")" + text + "\"}\n");
  IndexOptions options;
  options.inputs = {scratch / "in.jsonl"};
  options.output = scratch / "index";
  options.memory_bytes = std::uint64_t{1600} << 20;
  options.threads = 1;
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  const auto stop = [&](const std::string&) { signal_number = SIGINT; };  // it hears of the plan
  IndexReport report;
  EXPECT_THROW(run_index(options, {posix_file_system(), signal_number, progress, ignore, stop}, report),
               InterruptedError);
  EXPECT_STREQ(progress.stage, "parse");
  EXPECT_EQ(progress.bytes_done, 0);
}

class RefusedJobs : public Jobs {
 protected:
  void expect_refused(const std::vector<std::string>& words, const std::string& part) const {
    const ProgramResult result = run_spillway(words);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }
};

TEST_F(RefusedJobs, DoNotTouchAnOutputThatExists) {
  set_corpus(20);
  fs::rename(scratch_ / "reference", output_);
  expect_refused(job(output_), "--force");
  expect_whole();
  expect_no_leftovers();
}

TEST_F(RefusedJobs, ForceReplacesOnlyIndexes) {
  set_corpus(20);
  fs::create_directory(output_);
  write_bytes(output_ + "/precious", "x");
  expect_refused(job(output_, {"--force"}), "no Spillway index");
  EXPECT_EQ(testing::read_bytes(output_ + "/precious"), "x");
  expect_no_leftovers();
  fs::remove_all(output_);
  write_bytes(output_, "a file");
  expect_refused(job(output_, {"--force"}), "no Spillway index");
  EXPECT_EQ(testing::read_bytes(output_), "a file");
}

TEST_F(RefusedJobs, DoNotPutTheIndexIntoTheirInput) {
  fs::create_directories(scratch_ / "docs/sub");
  write_bytes(scratch_ / "docs/a.txt", "text");
  fs::create_directory_symlink(scratch_ / "docs", scratch_ / "link");
  for (const char* output : {"docs/index", "docs/sub/index", "link/index", "docs/sub/../index"}) {
    expect_refused({"index", scratch_ / "docs", "-o", scratch_ / output}, "inside");
  }
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(scratch_ / "docs"), {}), 2);
}

TEST_F(RefusedJobs, NameAnInputOrADirectoryThatIsNotThere) {
  set_corpus(20);
  expect_refused({"index", scratch_ / "missing", "-o", output_}, "missing");
  expect_refused(job(scratch_ / "nowhere/out"), "nowhere");
  expect_refused(job(output_, {"--temp-dir", scratch_ / "no-temp"}), "no-temp");
  expect_refused({"index", "@" + (scratch_ / "no-list"), "-o", output_}, "no-list");
  EXPECT_FALSE(fs::exists(output_));
  expect_no_leftovers();
}

TEST_F(RefusedJobs, LeaveAnotherJobWithTheSameOutputAlone) {
  set_corpus(20);
  const auto first = start({"index", "-", "--format", "lines", "-o", output_});
  first->write_input("a line\n");
  first->wait_until_input_is_read();
  expect_refused(job(output_), "locked");
  first->write_input("another line\n");
  first->close_input();
  EXPECT_EQ(first->wait().exit_code, 0) << errors();
  const IndexReader index(posix_file_system(), output_);
  EXPECT_EQ(index.counts().documents, 2U);
  expect_no_leftovers();
}

}  // namespace
}  // namespace spillway
