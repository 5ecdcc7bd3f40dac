// The program started without standard streams: no message may get into an index.
#include "tools/cli/standard_streams.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_spillway;

class ClosedStreams : public ::testing::TestWithParam<const char*> {
 protected:
  ClosedStreams() {
    std::ofstream(scratch_ / "in.jsonl") << R"({"id":"a","text":"one two three"})"
                                         << "\n";
    std::ofstream(scratch_ / "gone") << "an id in no index\n";
  }
  // The program, as a shell starts it with this redirection.
  ProgramResult run(const std::string& redirection, std::vector<std::string> words) {
    words.insert(words.begin(), {"/bin/sh", "-c", "exec \"$@\" " + redirection, "sh", testing::program_path()});
    return testing::run_program(words);
  }
  void expect_good(const std::string& index) {
    const ProgramResult verified = run_spillway({"verify", index});
    EXPECT_EQ(verified.exit_code, 0) << verified.err;
  }
  testing::ScratchDirectory scratch_;
};

TEST_P(ClosedStreams, GetNothingIntoAnIndex) {
  const ProgramResult made = run(GetParam(), {"index", scratch_ / "in.jsonl", "-o", scratch_ / "a", "-v"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  expect_good(scratch_ / "a");
  const ProgramResult merged =
      run(GetParam(), {"merge", scratch_ / "a", "--drop", scratch_ / "gone", "-o", scratch_ / "b", "-v"});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  expect_good(scratch_ / "b");
}

INSTANTIATE_TEST_SUITE_P(By, ClosedStreams,
                         ::testing::Values("0<&-", "1>&-", "2>&-", "0<&- 1>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"));

using ClosedStream = ClosedStreams;

TEST_F(ClosedStream, IsNotTakenForEmptyInputOrForAPlaceForData) {
  const ProgramResult no_input = run("0<&-", {"index", "-", "--format", "lines", "-o", scratch_ / "a"});
  EXPECT_EQ(no_input.exit_code, 2);
  EXPECT_NE(no_input.err.find("standard input"), std::string::npos) << no_input.err;
  ASSERT_EQ(run_spillway({"index", scratch_ / "in.jsonl", "-o", scratch_ / "b"}).exit_code, 0);
  const ProgramResult no_output = run("1>&-", {"stats", scratch_ / "b"});
  EXPECT_EQ(no_output.exit_code, 2);
  EXPECT_NE(no_output.err.find("standard output"), std::string::npos) << no_output.err;
  const ProgramResult no_report = run("1>&-", {"index", scratch_ / "in.jsonl", "-o", scratch_ / "c", "--json", "-"});
  EXPECT_EQ(no_report.exit_code, 2);
  EXPECT_NE(no_report.err.find("--json"), std::string::npos) << no_report.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "c"));
}

}  // namespace
}  // namespace spillway
