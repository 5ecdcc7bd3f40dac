// Stops `spillway sort` by signals at file operations spread over it, out of core, with an output that is the input.
// Afterwards the input is as it was or sorted, and nothing else is there.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::run_spillway;
using testing::run_spillway_with_signal;
using testing::ScratchDirectory;
namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class StoppedSorts : public ::testing::TestWithParam<int> {
 protected:
  StoppedSorts() {
    fs::create_directory(scratch_ / "place");
    fs::create_directory(scratch_ / "temp");
    std::mt19937 random(1);
    for (unsigned line = 0; line < 20'000; ++line) text_ += std::to_string(random()) + "\n";
    restore();
    operations_ = testing::count_file_operations(sort_to(scratch_ / "reference"));
    sorted_ = content(scratch_ / "reference");
  }

  void restore() const { std::ofstream(in_, std::ios::binary) << text_; }
  std::vector<std::string> sort_to(const std::string& output) const {
    return {"sort", "-T", scratch_ / "temp", "--block-bytes=100K", "--batch-size=3", in_, "-o", output};
  }
  // A few operations more or less are needed each time, as threads take turns.
  std::vector<std::uint64_t> moments() const {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < 20; ++i) numbers.push_back(i * (operations_ * 9 / 10) / 19);
    return numbers;
  }
  void expect_only(const std::string& path) const {
    EXPECT_TRUE(fs::is_empty(scratch_ / "temp"));
    for (const auto& entry : fs::directory_iterator(scratch_ / "place")) EXPECT_EQ(entry.path(), path);
  }

  ScratchDirectory scratch_;
  std::string in_ = scratch_ / "place/in", text_, sorted_;
  std::uint64_t operations_ = 0;
};

TEST_P(StoppedSorts, LeaveAnInputThatIsTheOutputWhole) {
  for (const std::uint64_t moment : moments()) {
    const auto result = run_spillway_with_signal(sort_to(in_), {"any", moment, GetParam()});
    EXPECT_EQ(result.signal, GetParam()) << moment << result.err;
    EXPECT_EQ(content(in_), text_) << moment;
    expect_only(in_);
  }
  // The last operation: the new content has another name.
  const auto renaming = run_spillway_with_signal(sort_to(in_), {"rename", 0, GetParam()});
  EXPECT_TRUE(content(in_) == text_ || content(in_) == sorted_) << renaming.err;
}

TEST_P(StoppedSorts, LeaveNoNewOutput) {
  fs::rename(in_, scratch_ / "in");
  in_ = scratch_ / "in";
  for (const std::uint64_t moment : moments()) {
    const auto result = run_spillway_with_signal(sort_to(scratch_ / "place/out"), {"any", moment, GetParam()});
    EXPECT_EQ(result.signal, GetParam()) << moment << result.err;
    expect_only("nothing");
  }
  const auto result = run_spillway(sort_to(scratch_ / "place/out"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(content(scratch_ / "place/out"), sorted_);
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedSorts, ::testing::Values(SIGTERM, SIGINT, SIGKILL),
                         [](const auto& signal) { return "Signal" + std::to_string(signal.param); });

}  // namespace
}  // namespace spillway
