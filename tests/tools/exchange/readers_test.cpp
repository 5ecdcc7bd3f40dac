// Other programs read what was exported: ciff-toolkit and PISA, where the Python that runs has them
// (pip install ciff-toolkit pyterrier-pisa).
#include <gtest/gtest.h>

#include "tests/support/index_files.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

constexpr int kNotInstalled = 77;

void expect_read(const char* format) {
  const testing::ScratchDirectory scratch;
  const std::string source = testing::source_directory(), index = scratch / "index", out = scratch / "out";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"index", source + "/sample/state_of_the_union.jsonl", "-o", index, "-q"},
        std::vector<std::string>{"export", index, "--to", format, "-o", out}}) {
    const auto result = testing::run_spillway(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  const auto result =
      testing::run_program({"/usr/bin/env", "python3", source + "/tests/tools/exchange/compare_with_readers.py", format,
                            testing::program_path(), index, out});
  if (result.exit_code == kNotInstalled) GTEST_SKIP() << result.out;
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Readers, CiffToolkitReadsTheSameIndex) { expect_read("ciff"); }

TEST(Readers, PisaReadsTheSameIndexAndScoresIt) { expect_read("pisa"); }

}  // namespace
}  // namespace spillway
