// `spillway plan` prints what `index` does with the same options.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_spillway;
using testing::ScratchDirectory;

class Plan : public ::testing::Test {
 protected:
  Plan() {
    std::ofstream file(scratch_ / "in.txt");
    for (int i = 0; i < 3000; ++i) file << "line number " << i << " with a few words\n";
  }
  std::vector<std::string> words(const std::string& command, std::vector<std::string> more) const {
    std::vector<std::string> all{command, scratch_ / "in.txt", "--format", "lines", "--threads",
                                 "2",     "--memory",          "300M"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  ScratchDirectory scratch_;
};

// The lines that do not depend on the memory of this process.
std::string stable_lines(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin + 1);
    if (line.starts_with("input") || line.starts_with("memory:") || line.starts_with("threads") ||
        line.starts_with("record sorter") || line.starts_with("string sorter")) {
      result += line;
    }
    begin = end + 1;
  }
  return result;
}

TEST_F(Plan, SaysWhatIndexSaysAndDoesNothing) {
  const ProgramResult plan = run_spillway(words("plan", {}));
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch_.path()), {}), 1);
  const ProgramResult index = run_spillway(words("index", {"-o", scratch_ / "out", "-v"}));
  ASSERT_EQ(index.exit_code, 0) << index.err;
  const std::string expected = stable_lines(plan.out);
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 5) << plan.out;
  EXPECT_EQ(stable_lines(index.err), expected);
}

TEST_F(Plan, GivesReasons) {
  const std::string text = run_spillway(words("plan", {})).out;
  EXPECT_NE(text.find("(as --memory says)"), std::string::npos) << text;
  EXPECT_NE(text.find("a sample of each set decides: cpu-multikey where 40.0 bytes or more"), std::string::npos)
      << text;
  EXPECT_NE(text.find("from sizes alone"), std::string::npos) << text;
  EXPECT_NE(run_spillway({"plan", scratch_ / "in.txt"}).out.find("of the least limit"), std::string::npos);
}

TEST_F(Plan, WritesJson) {
  const auto plan = nlohmann::json::parse(run_spillway(words("plan", {"--json", "--string-sorter", "cpu-msd"})).out);
  EXPECT_EQ(plan.at("input_bytes"), std::filesystem::file_size(scratch_ / "in.txt"));
  EXPECT_EQ(plan.at("threads"), 2);
  EXPECT_EQ(plan.at("memory_bytes"), 300 << 20);
  EXPECT_EQ(plan.at("string_sorter"), "cpu-msd");
  EXPECT_EQ(plan.at("string_sorter_reason"), "asked for by name");
  EXPECT_EQ(plan.at("estimate").at("runs"), 1);
  EXPECT_TRUE(plan.at("estimate").at("is_known"));
}

TEST_F(Plan, RefusesWhatIndexRefuses) {
  EXPECT_EQ(run_spillway({"plan", scratch_ / "missing"}).exit_code, 2);
  EXPECT_EQ(run_spillway({"plan", scratch_ / "in.txt", "--memory", "10M"}).exit_code, 4);
  EXPECT_EQ(run_spillway({"plan", scratch_ / "in.txt", "--stem", "klingon"}).exit_code, 2);
}

TEST_F(Plan, KnowsNothingOfAStream) {
  const ProgramResult plan = run_spillway({"plan", "--format", "lines", "-"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_NE(plan.out.find("the input is a stream"), std::string::npos) << plan.out;
}

}  // namespace
}  // namespace spillway
