// Tests that a `spillway merge` that is stopped or killed leaves no incomplete index, and that its inputs and the index
// that it would have replaced stay unchanged.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/end_to_end/merge_parts.hpp"
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
    words.insert(words.begin(), testing::program_path());
    return std::make_unique<RunningProgram>(words, scratch_ / "errors");
  }
  // Operations spread over the whole job, each of which every job has.
  std::vector<std::uint64_t> moments(const std::vector<std::string>& more, std::uint64_t count) {
    const std::uint64_t all = testing::count_file_operations(job(more));
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(i * (all * 9 / 10) / (count - 1));
    return numbers;
  }
  void expect_no_leftovers() const {
    EXPECT_FALSE(fs::exists(output_ + ".work"));
    EXPECT_TRUE(fs::is_empty(scratch_ / "temp"));
  }

  std::vector<std::string> parts_;
  std::map<std::string, std::string> expected_;
  std::string output_ = scratch_ / "place/out";
};

TEST_F(StoppedMerges, LeaveNoIndexWhenTheyAreKilled) {
  const auto numbers = moments({}, 12);
  fs::remove_all(output_);
  for (const std::uint64_t moment : numbers) {
    SCOPED_TRACE("operation " + std::to_string(moment));
    EXPECT_EQ(run_spillway_with_signal(job(), {"any", moment, SIGKILL}).signal, SIGKILL);
    EXPECT_FALSE(fs::exists(output_));
    const ProgramResult next = run_spillway(job());
    ASSERT_EQ(next.exit_code, 0) << next.err;
    EXPECT_TRUE(same_index(expected_, output_));
    expect_no_leftovers();
    fs::remove_all(output_);
  }
}

TEST_F(StoppedMerges, KeepTheirInputsAndTheIndexThatTheyReplace) {
  const auto before = bytes_of(parts_[0]);
  output_ = parts_[0];
  const auto restore = [&] {
    fs::remove_all(output_);
    fs::create_directory(output_);
    for (const auto& [name, content] : before) write_bytes(output_ + "/" + name, content);
  };
  std::vector<testing::SignalAt> stops{{"rename", 0, SIGKILL}};
  for (const std::uint64_t moment : moments({"--force"}, 8)) {
    stops.push_back({"any", moment, stops.size() % 2 == 0 ? SIGKILL : SIGTERM});
  }
  for (const testing::SignalAt& stop : stops) {
    SCOPED_TRACE(stop.function + " " + std::to_string(stop.number));
    restore();
    EXPECT_EQ(run_spillway_with_signal(job({"--force"}), stop).signal, stop.signal);
    // The next job puts back what was moved aside; without --force it then refuses.
    EXPECT_EQ(run_spillway(job()).exit_code, 2);
    const auto found = bytes_of(output_);
    ASSERT_TRUE(found == before || found == expected_);
    restore();
    const ProgramResult next = run_spillway(job({"--force"}));
    ASSERT_EQ(next.exit_code, 0) << next.err;
    EXPECT_TRUE(same_index(expected_, output_));
    expect_no_leftovers();
  }
}

TEST_F(StoppedMerges, LeaveNothingWhenTheyAreSignalled) {
  const auto numbers = moments({}, 12);
  fs::remove_all(output_);
  for (const std::uint64_t moment : numbers) {
    const int number = moment % 2 == 0 ? SIGINT : SIGTERM;
    SCOPED_TRACE("operation " + std::to_string(moment));
    const ProgramResult result = run_spillway_with_signal(job(), {"any", moment, number});
    EXPECT_EQ(result.signal, number) << result.err;
    EXPECT_FALSE(fs::exists(output_));
    expect_no_leftovers();
  }
}

TEST_F(StoppedMerges, LeaveNothingWhileTheyWaitForIds) {
  const auto program = start({"--drop", "-"});
  program->write_input("some-id\n");
  program->wait_until_input_is_read();
  program->signal(SIGHUP);
  EXPECT_EQ(program->wait().signal, SIGHUP) << testing::read_bytes(scratch_ / "errors");
  expect_no_leftovers();
}

}  // namespace
}  // namespace spillway
