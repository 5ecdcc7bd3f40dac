// The report of a job: what it does to files of others, and what holds when it alone fails.
#include "tools/report/file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/file/posix_file_system.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/running_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_spillway;
using testing::RunningProgram;
namespace fs = std::filesystem;

class Reports : public ::testing::Test {
 protected:
  Reports() {
    fs::create_directory(scratch_ / "reports");
    std::ofstream(scratch_ / "in.txt") << "one\ntwo\n";
  }
  std::vector<std::string> job(const std::string& input, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"index", input, "--format", "lines", "-o", index_, "--json", report_};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // A job that waits for its input, so that the world can change.
  std::unique_ptr<RunningProgram> start(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = job("-", more);
    words.insert(words.begin(), testing::program_path());
    auto program = std::make_unique<RunningProgram>(words, scratch_ / "errors");
    program->write_input("a line\n");
    program->wait_until_input_is_read();
    return program;
  }
  static int finish(RunningProgram& program) {
    program.close_input();
    return program.wait().exit_code;
  }
  std::string text(const std::string& path) const { return read_file(posix_file_system(), path); }
  std::vector<std::string> in_directory() const { return posix_file_system().list(scratch_ / "reports"); }

  const testing::ScratchDirectory scratch_;
  const std::string report_ = scratch_ / "reports/report", index_ = scratch_ / "index";
};

TEST_F(Reports, LeaveAFileThatCameMeanwhileAndSayWhereTheyAre) {
  const auto program = start();
  std::ofstream(report_) << "precious";
  EXPECT_EQ(finish(*program), 7);
  EXPECT_EQ(text(report_), "precious");
  EXPECT_EQ(run_spillway({"verify", index_}).exit_code, 0);
  const auto names = in_directory();
  ASSERT_EQ(names.size(), 2U);
  const std::string kept = scratch_ / "reports" + ("/" + names[1]);
  EXPECT_EQ(nlohmann::json::parse(text(kept)).at("documents"), 1);
  const std::string errors = text(scratch_ / "errors");
  EXPECT_NE(errors.find("the index is complete"), std::string::npos) << errors;
  EXPECT_NE(errors.find(kept), std::string::npos) << errors;
}

TEST_F(Reports, LeaveALinkThatCameMeanwhile) {
  const auto program = start();
  fs::create_symlink(scratch_ / "target", report_);
  EXPECT_EQ(finish(*program), 7);
  EXPECT_TRUE(fs::is_symlink(report_));
  EXPECT_FALSE(fs::exists(scratch_ / "target"));
}

TEST_F(Reports, ReplaceAFileThatCameMeanwhileIfTheyAreToldTo) {
  const auto program = start({"--force"});
  std::ofstream(report_) << "old";
  EXPECT_EQ(finish(*program), 0) << text(scratch_ / "errors");
  EXPECT_EQ(nlohmann::json::parse(text(report_)).at("documents"), 1);
  EXPECT_EQ(in_directory().size(), 1U);
}

TEST_F(Reports, DeleteNothingOfOthers) {
  const std::vector<std::string> others{report_ + ".spillway-tmp", report_ + ".tmp", report_ + ".0000000000000000"};
  for (const std::string& other : others) std::ofstream(other) << "precious";
  EXPECT_EQ(run_spillway(job(scratch_ / "in.txt")).exit_code, 0);
  for (const std::string& other : others) EXPECT_EQ(text(other), "precious");
  EXPECT_EQ(in_directory().size(), 1 + others.size());
}

TEST_F(Reports, AreReservedBeforeTheWork) {
  const auto program = start();
  EXPECT_EQ(in_directory().size(), 1U);
  EXPECT_NE(in_directory()[0], "report");
  program->signal(SIGTERM);
  EXPECT_EQ(program->wait().signal, SIGTERM);
  EXPECT_EQ(in_directory(), std::vector<std::string>{"report"}) << "tells that the job was interrupted";
  EXPECT_EQ(nlohmann::json::parse(text(report_)).at("exit_code"), 143);
}

TEST_F(Reports, ThatAloneFailLeaveTheIndex) {
  std::vector<std::string> words = job(scratch_ / "in.txt");
  words.back() = "/dev/full";
  const ProgramResult result = run_spillway(words);
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_NE(result.err.find("the index is complete, only its report is not"), std::string::npos) << result.err;
  EXPECT_EQ(run_spillway({"verify", index_}).exit_code, 0);
}

TEST_F(Reports, KeepALinkToTheFileThatTheyReplace) {
  std::ofstream(scratch_ / "target") << "old";
  fs::create_symlink(scratch_ / "target", report_);
  EXPECT_EQ(run_spillway(job(scratch_ / "in.txt", {"--force"})).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(report_));
  EXPECT_EQ(nlohmann::json::parse(text(scratch_ / "target")).at("documents"), 2);
  EXPECT_EQ(in_directory().size(), 1U);
}

TEST_F(Reports, DoNotReplaceInputs) {
  const std::string input = scratch_ / "in.txt", list = scratch_ / "list", index = scratch_ / "other";
  std::ofstream(list) << input << "\n";
  fs::create_symlink(input, scratch_ / "link");
  ASSERT_EQ(run_spillway({"index", input, "--format", "lines", "-o", index}).exit_code, 0);
  const std::string manifest = text(index + "/manifest");
  const std::vector<std::vector<std::string>> jobs{{"index", input, "-o", index_, "--json", input},
                                                   {"index", input, "-o", index_, "--json", scratch_ / "link"},
                                                   {"index", scratch_ / "reports", "-o", index_, "--json", report_},
                                                   {"index", "@" + list, "-o", index_, "--json", list},
                                                   {"index", input, "--stop", list, "-o", index_, "--json", list},
                                                   {"index", input, "-o", index_, "--json", index + "/manifest"},
                                                   {"merge", index, "-o", index_, "--json", index + "/manifest"},
                                                   {"merge", index, "--drop", list, "-o", index_, "--json", list},
                                                   {"search", index, "one", "--stats-json", index + "/postings"},
                                                   {"search", index, "--queries", list, "--stats-json", list}};
  for (std::vector<std::string> words : jobs) {
    words.emplace_back("--force");
    const ProgramResult result = run_spillway(words);
    EXPECT_EQ(result.exit_code, 2) << words.back();
    EXPECT_NE(result.err.find("name a file outside of it"), std::string::npos) << result.err;
  }
  EXPECT_FALSE(fs::exists(index_));
  EXPECT_EQ(text(input), "one\ntwo\n");
  EXPECT_EQ(text(list), input + "\n");
  EXPECT_EQ(text(index + "/manifest"), manifest);
  EXPECT_EQ(run_spillway({"verify", index}).exit_code, 0);
}

TEST_F(Reports, AreRefusedWhereALinkLeadsToNothing) {
  fs::create_symlink(scratch_ / "nothing", report_);
  EXPECT_EQ(run_spillway(job(scratch_ / "in.txt")).exit_code, 2);
  EXPECT_FALSE(fs::exists(index_));
}

}  // namespace
}  // namespace spillway
