// Runs tools/kill_loop, which kills jobs at random moments, for a short time and on the disk of the build.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"

namespace spillway {
namespace {

TEST(KillLoop, FindsNoFault) {
  const std::string directory = std::filesystem::path(testing::program_path()).parent_path();
  const testing::ProgramResult result =
      testing::run_program({testing::source_directory() + "/tools/kill_loop", "3", "--kills", "20", "--seed", "15",
                            "--directory", directory, "--program", testing::program_path()});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  const std::size_t line = result.out.find('\n');
  ASSERT_NE(line, std::string::npos) << result.out;
  // The last job may be killed up to three times.
  EXPECT_GE(std::atoi(result.out.c_str() + line + 1), 20) << result.out;
}

}  // namespace
}  // namespace spillway
