// Tests that a `spillway merge` that is stopped or killed leaves no incomplete index, and that its inputs and the index
// that it would have replaced stay unchanged.
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "tests/end_to_end/merge_parts.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/running_program.hpp"

namespace spillway {
namespace {

using testing::bytes_of;
using testing::ProgramResult;
using testing::run_spillway;
using testing::RunningProgram;
using testing::same_index;
using testing::write_bytes;
namespace fs = std::filesystem;

class StoppedMerges : public testing::MergeParts {
 protected:
  void SetUp() override {
    fs::create_directory(scratch_ / "temp");
    fs::create_directory(scratch_ / "place");
    testing::RandomDocuments shape;
    shape.count = 600;
    shape.words = 100;
    std::string whole;
    for (std::uint64_t part = 0; part < 6; ++part) {
      const std::string lines = testing::lines_of(testing::as_lines(testing::random_documents(part + 1, shape)));
      whole += lines;
      parts_.push_back(index("part" + std::to_string(part), lines, {}, CorpusFormat::kLines));
    }
    expected_ = bytes_of(index("whole", whole, {}, CorpusFormat::kLines));
  }

  std::vector<std::string> job(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"merge"};
    words.insert(words.end(), parts_.begin(), parts_.end());
    words.insert(words.end(), {"-o", output_, "--temp-dir", scratch_ / "temp", "--fan-in", "2", "--threads", "2"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::unique_ptr<RunningProgram> start(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = job(more);
    words.insert(words.begin(), SPILLWAY_BINARY);
    return std::make_unique<RunningProgram>(words, scratch_ / "errors");
  }
  // Returns some time after the job has made its lock.
  void wait_for_some_moment(RunningProgram& program, std::mt19937_64& random) const {
    while (!program.has_ended() && !fs::exists(output_ + ".work/LOCK")) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60000));
  }
  void expect_no_leftovers() const {
    EXPECT_FALSE(fs::exists(output_ + ".work"));
    EXPECT_TRUE(fs::is_empty(scratch_ / "temp"));
  }

  std::vector<std::string> parts_;
  std::map<std::string, std::string> expected_;
  std::string output_ = scratch_ / "place/out";
};

TEST_F(StoppedMerges, LeaveNoIndexOrAWholeOneWhenTheyAreKilled) {
  std::mt19937_64 random(7);
  int killed = 0;
  for (int i = 0; i < 12; ++i) {
    const auto program = start();
    wait_for_some_moment(*program, random);
    program->signal(SIGKILL);
    killed += program->wait() == 128 + SIGKILL ? 1 : 0;
    if (fs::exists(output_)) {
      EXPECT_TRUE(same_index(expected_, output_));
      fs::remove_all(output_);
    }
    const ProgramResult next = run_spillway(job());
    ASSERT_EQ(next.exit_code, 0) << next.err;
    EXPECT_TRUE(same_index(expected_, output_));
    expect_no_leftovers();
    fs::remove_all(output_);
  }
  EXPECT_GE(killed, 3);
}

TEST_F(StoppedMerges, KeepTheirInputsAndTheIndexThatTheyReplace) {
  std::mt19937_64 random(9);
  const auto before = bytes_of(parts_[0]);
  output_ = parts_[0];
  for (int i = 0; i < 8; ++i) {
    const auto program = start({"--force"});
    wait_for_some_moment(*program, random);
    program->signal(i % 2 == 0 ? SIGKILL : SIGTERM);
    program->wait();
    // The next job puts back what was moved aside; without --force it then refuses.
    EXPECT_EQ(run_spillway(job()).exit_code, 2);
    const auto found = bytes_of(output_);
    ASSERT_TRUE(found == before || found == expected_);
    const auto restore = [&] {
      fs::remove_all(output_);
      fs::create_directory(output_);
      for (const auto& [name, content] : before) write_bytes(output_ + "/" + name, content);
    };
    restore();
    const ProgramResult next = run_spillway(job({"--force"}));
    ASSERT_EQ(next.exit_code, 0) << next.err;
    EXPECT_TRUE(same_index(expected_, output_));
    expect_no_leftovers();
    restore();
  }
}

TEST_F(StoppedMerges, LeaveNothingWhenTheyAreSignalled) {
  std::mt19937_64 random(5);
  int interrupted = 0;
  for (int i = 0; i < 12; ++i) {
    const int number = i % 2 == 0 ? SIGINT : SIGTERM;
    const auto program = start();
    wait_for_some_moment(*program, random);
    program->signal(number);
    const int code = program->wait();
    if (code == 0) {
      EXPECT_TRUE(same_index(expected_, output_));
      fs::remove_all(output_);
    } else {
      EXPECT_EQ(code, 128 + number) << testing::read_bytes(scratch_ / "errors");
      EXPECT_FALSE(fs::exists(output_));
      ++interrupted;
    }
    expect_no_leftovers();
  }
  EXPECT_GE(interrupted, 3);
}

TEST_F(StoppedMerges, LeaveNothingWhileTheyWaitForIds) {
  const auto program = start({"--drop", "-"});
  program->write_input("some-id\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  program->signal(SIGINT);
  EXPECT_EQ(program->wait(), 130) << testing::read_bytes(scratch_ / "errors");
  expect_no_leftovers();
}

}  // namespace
}  // namespace spillway
