// tools/sanitize_gpu with scripts as test program and compute-sanitizer: which outcomes it reports as clean.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::ScratchDirectory;

class SanitizeGpu : public ::testing::Test {
 protected:
  void write_script(const std::string& name, const std::string& text) {
    std::ofstream(scratch_ / name) << "#!/bin/bash\n" << text;
    std::filesystem::permissions(scratch_ / name, std::filesystem::perms::owner_all);
  }
  // A test program with two cases of one sorter. Each of its processes runs `ending`, with the filter in $1.
  void write_program(const std::string& ending) {
    write_script("program",
                 "if [[ $1 == --gtest_list_tests ]]; then\n"
                 "  printf 'Gpu/Contract.\\n  Sorts/gpu_one  # GetParam() = 1\\n  Ends/gpu_one  # GetParam() = 1\\n'\n"
                 "  exit\n"
                 "fi\n"
                 "[[ -n $SPILLWAY_SANITIZER ]] || exit 3\n"
                 "ok() { echo \"[       OK ] $1 (7 ms)\"; }\n" +
                     ending);
  }
  // Prints the tool's lines after those of the program, and ends with its status.
  void write_sanitizer(const std::string& ending) {
    write_script("compute-sanitizer", "while [[ $1 == --* ]]; do shift 2; done\n\"$@\"; status=$?\n" + ending);
  }
  ProgramResult run(const std::vector<std::string>& words = {}) {
    std::vector<std::string> all{testing::source_directory() + "/tools/sanitize_gpu", "--program",
                                 scratch_ / "program"};
    all.insert(all.end(), words.begin(), words.end());
    const char* const path = std::getenv("PATH");
    return testing::run_program(all,
                                {.environment = {"PATH=" + scratch_.path() + ":" + (path == nullptr ? "" : path)}});
  }
  void expect_problem(const std::string& words, const std::vector<std::string>& options = {"--tools", "memcheck"}) {
    const ProgramResult result = run(options);
    EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
    EXPECT_NE(result.out.find(words), std::string::npos) << result.out << result.err;
    EXPECT_NE(result.out.find("FAILED memcheck  Contract gpu_one"), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("all clean"), std::string::npos) << result.out;
  }

  const std::string all_pass_ = "ok Gpu/Contract.Sorts/gpu_one; ok Gpu/Contract.Ends/gpu_one\n";
  const std::string no_errors_ = "echo '========= ERROR SUMMARY: 0 errors'; exit $status\n";
  ScratchDirectory scratch_;
};

TEST_F(SanitizeGpu, IsCleanWhereEveryCaseEndsUnderEveryTool) {
  write_program("IFS=: read -ra cases <<< \"${1#*=}\"; for case in \"${cases[@]}\"; do ok \"$case\"; done\n");
  write_sanitizer(no_errors_);
  const ProgramResult result = run({"--cases-each", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  for (const char* tool : {"memcheck ", "racecheck", "initcheck", "synccheck"}) {
    EXPECT_NE(result.out.find(std::string("clean  ") + tool + " Contract gpu_one"), std::string::npos) << result.out;
  }
  EXPECT_NE(result.out.find("2 cases under 4 tools, 5 processes"), std::string::npos) << result.out;
}

TEST_F(SanitizeGpu, IsNotCleanWhereAToolFindsSomething) {
  write_program(all_pass_);
  write_sanitizer("echo '========= ERROR SUMMARY: 3 errors'; exit 86\n");
  expect_problem("3 found by the tool");
  write_sanitizer("echo '========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)'; exit 0\n");
  expect_problem("1 found by the tool");
}

TEST_F(SanitizeGpu, TellsAFailureOfTheToolFromAFinding) {
  write_program(all_pass_);
  const std::string own = "echo '========= Internal Sanitizer Error: Detected a failure to track a kernel launch'\n";
  const auto summary = [](int found) {
    return "echo '========= RACECHECK SUMMARY: " + std::to_string(found) + " hazards displayed'; exit 86\n";
  };
  write_sanitizer(own + summary(1));
  expect_problem("the tool itself failed: Detected a failure to track a kernel launch");
  write_sanitizer(own + summary(2));
  expect_problem("2 found by the tool");
}

TEST_F(SanitizeGpu, IsNotCleanWhereACaseFailsSkipsItselfOrDoesNotRun) {
  write_sanitizer(no_errors_);
  write_program(all_pass_ + "echo '[  FAILED  ] Gpu/Contract.Ends/gpu_one, where GetParam() = 1 (3 ms)'; exit 1\n");
  expect_problem("failed: Gpu/Contract.Ends/gpu_one");
  write_program("ok Gpu/Contract.Sorts/gpu_one; echo '[  SKIPPED ] Gpu/Contract.Ends/gpu_one (0 ms)'\n");
  expect_problem("skipped: Gpu/Contract.Ends/gpu_one");
  write_program("ok Gpu/Contract.Sorts/gpu_one\n");
  expect_problem("did not run, exit status 0: Gpu/Contract.Ends/gpu_one");
}

TEST_F(SanitizeGpu, IsNotCleanWhereAToolSaysNothingOrACaseDoesNotEnd) {
  write_program(all_pass_);
  write_sanitizer("exit 0\n");
  expect_problem("no summary of the tool");
  write_program("ok Gpu/Contract.Sorts/gpu_one; exec sleep 60\n");
  write_sanitizer(no_errors_);
  expect_problem("did not end within 1 s: Gpu/Contract.Ends/gpu_one", {"--tools", "memcheck", "--limit", "1"});
}

}  // namespace
}  // namespace spillway
