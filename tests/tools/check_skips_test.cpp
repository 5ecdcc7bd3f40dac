// `tools/check_skips` lists the tests that were skipped, and fails where fewer ran than the floor says.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;

class CheckSkips : public ::testing::Test {
 protected:
  CheckSkips() {
    std::ofstream(scratch_ / "floor") << "# comment\neverywhere 2  # why\ngpu 1\n";
    std::ofstream(scratch_ / "results.xml")
        << "<?xml version=\"1.0\"?>\n<testsuite>\n"
           "<testcase name=\"A.Runs\" status=\"run\"><system-out>ok</system-out></testcase>\n"
           "<testcase name=\"A.Fails\" status=\"fail\"><failure/></testcase>\n"
           "<testcase name=\"Gpu.Sorts\" status=\"notrun\"><skipped message=\"SKIP_REGULAR_EXPRESSION_MATCHED\"/>\n"
           "<system-out>[ RUN      ] Gpu.Sorts\na_test.cpp:7: Skipped\nno GPU:\n no driver\n\n[  SKIPPED ] Gpu.Sorts\n"
           "</system-out></testcase>\n"
           "<testcase name=\"A.IsOff\" status=\"disabled\"><skipped message=\"Disabled\"/></testcase>\n"
           "</testsuite>\n";
  }
  ProgramResult check(const std::vector<std::string>& kinds) {
    std::vector<std::string> words{testing::source_directory() + "/tools/check_skips", scratch_ / "results.xml",
                                   "--floor", scratch_ / "floor"};
    words.insert(words.end(), kinds.begin(), kinds.end());
    return testing::run_program(words);
  }

  testing::ScratchDirectory scratch_;
};

TEST_F(CheckSkips, NamesWhatWasSkippedAndWhy) {
  const ProgramResult result = check({});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(result.out,
            "skipped 1: Disabled\n    A.IsOff\nskipped 1: no GPU: no driver\n    Gpu.Sorts\n"
            "2 tests ran; with everywhere at least 2 must\n");
}

TEST_F(CheckSkips, FailsBelowTheFloorOfTheMachine) {
  const ProgramResult result = check({"gpu"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.out.find("FAILED: 2 tests ran; with everywhere, gpu at least 3 must"), std::string::npos)
      << result.out;
}

TEST_F(CheckSkips, FailsWithoutResultsAndForAnUnknownKind) {
  EXPECT_NE(check({"tape"}).exit_code, 0);
  std::ofstream(scratch_ / "results.xml") << "<testsuite></testsuite>\n";
  EXPECT_EQ(check({}).exit_code, 1);
  std::filesystem::remove(scratch_ / "results.xml");
  const ProgramResult none = check({});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_NE(none.err.find("check_skips: no results of ctest"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace spillway
