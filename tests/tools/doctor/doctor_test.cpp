#include "tools/doctor/doctor.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "io/base/error.hpp"
#include "io/memory/budget.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_spillway;
using testing::ScratchDirectory;

MachineFacts good_machine() {
  MachineFacts facts;
  facts.cpu_features = {"sse4.2", "avx2"};
  facts.tokenizer_path = "avx2";
  facts.processors = facts.usable_threads = 8;
  facts.memory.ram_bytes = std::size_t{16} << 30;
  facts.free_memory_bytes = std::uint64_t{12} << 30;
  facts.descriptors = 1024;
  facts.descriptors_at_most = 4096;
  facts.directories = {{"/data", 500'000'000'000, true, DiskSpeed{400e6, 900e6}, ""}};
  return facts;
}

// The one finding on a subject.
Finding finding_on(const std::string& subject, const MachineFacts& facts) {
  for (const Finding& finding : findings(facts)) {
    if (finding.subject == subject) return finding;
  }
  ADD_FAILURE() << "nothing on " << subject;
  return {};
}

TEST(Doctor, FindsAGoodMachineFine) {
  const auto found = findings(good_machine());
  for (const Finding& finding : found) {
    EXPECT_EQ(finding.verdict, Verdict::kFine) << finding.subject;
    EXPECT_EQ(finding.remedy, "") << finding.subject;
  }
  const std::string text = findings_text(found);
  EXPECT_NE(text.find("--memory would be 8.00 GiB, half of the least: RAM"), std::string::npos) << text;
  EXPECT_NE(text.find("tokenized by the avx2 path"), std::string::npos) << text;
  EXPECT_NE(text.find("writes 400 MB/s (synced), reads 900 MB/s"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("all fine\n")) << text;
}

TEST(Doctor, NamesTheLeastLimitOfMemory) {
  MachineFacts facts = good_machine();
  facts.memory.cgroup2_bytes = std::size_t{100} << 20;
  const Finding finding = finding_on("memory", facts);
  EXPECT_EQ(finding.verdict, Verdict::kProblem);
  EXPECT_NE(finding.words.find("cgroup v2 (memory.max)"), std::string::npos) << finding.words;
  EXPECT_NE(finding.remedy.find("--memory 64M"), std::string::npos) << finding.remedy;
}

TEST(Doctor, WarnsOfABusyMachine) {
  MachineFacts facts = good_machine();
  facts.free_memory_bytes = std::uint64_t{1} << 30;
  EXPECT_EQ(finding_on("memory", facts).verdict, Verdict::kNote);
  EXPECT_NE(finding_on("memory", facts).remedy.find("1.00 GiB free now"), std::string::npos);
}

TEST(Doctor, SaysWhatToDoAboutFewDescriptors) {
  MachineFacts facts = good_machine();
  facts.descriptors = 100;
  EXPECT_EQ(finding_on("open files", facts).verdict, Verdict::kNote);
  facts.descriptors = 20;
  EXPECT_EQ(finding_on("open files", facts).verdict, Verdict::kProblem);
  EXPECT_NE(finding_on("open files", facts).remedy.find("ulimit -n 1024"), std::string::npos);
  facts.descriptors_at_most = 20;
  EXPECT_NE(finding_on("open files", facts).remedy.find("ulimit -Hn"), std::string::npos);
}

TEST(Doctor, JudgesDisks) {
  MachineFacts facts = good_machine();
  facts.directories[0].speed->write_bytes_per_second = 10e6;
  EXPECT_EQ(finding_on("disk", facts).verdict, Verdict::kNote);
  facts.directories[0].free_bytes = 1000;
  EXPECT_EQ(finding_on("disk", facts).verdict, Verdict::kProblem);
  facts.directories[0] = {"/read-only", 500'000'000'000, false, std::nullopt, ""};
  EXPECT_NE(finding_on("disk", facts).remedy.find("cannot be written"), std::string::npos);
  EXPECT_TRUE(findings_text(findings(facts)).ends_with("1 problem\n"));
}

// A GPU that fails and one that is too old do not affect the findings on others.
TEST(Doctor, JudgesEachGpuByItself) {
  MachineFacts facts = good_machine();
  facts.gpus.state = GpuState::kUsable;
  facts.gpus.detail = "2 usable of 4";
  for (int id = 0; id < 4; ++id)
    facts.gpus.gpus.push_back({id, "G", id == 2 ? 6 : 9, 0, std::size_t{8} << 30, 100, ""});
  facts.device_memory = {
      {std::nullopt, "CUDA: out of order"}, {std::uint64_t{5} << 30, ""}, {}, {std::uint64_t{1} << 28, ""}};
  EXPECT_EQ(finding_on("gpu", facts).verdict, Verdict::kFine);
  EXPECT_EQ(finding_on("gpu 0", facts).verdict, Verdict::kNote);
  EXPECT_NE(finding_on("gpu 0", facts).words.find("out of order"), std::string::npos);
  EXPECT_EQ(finding_on("gpu 1", facts).verdict, Verdict::kFine);
  EXPECT_NE(finding_on("gpu 1", facts).words.find("--gpu-memory would be 4"), std::string::npos);
  EXPECT_EQ(finding_on("gpu 2", facts).verdict, Verdict::kNote);
  EXPECT_NE(finding_on("gpu 2", facts).remedy.find("older"), std::string::npos);
  EXPECT_NE(finding_on("gpu 3", facts).remedy.find("other programs"), std::string::npos);
}

// A disk that fails is one finding; the others are reported too.
TEST(Doctor, TellsOfADiskThatFails) {
  ScratchDirectory scratch;
  const ProgramResult result = testing::run_program(
      {"/bin/sh", "-c", "ulimit -f 100; exec \"$0\" doctor --json \"$1\"", testing::program_path(), scratch.path()});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_TRUE(report.at("directories").at(0).at("write_bytes_per_second").is_null());
  bool has_told = false;
  for (const auto& finding : report.at("findings")) {
    has_told |= finding.at("subject") == "disk" && finding.dump().find("ulimit -f") != std::string::npos;
  }
  EXPECT_TRUE(has_told) << result.out;
}

// Under a limit on file sizes, a file longer than requested would fail.
TEST(DiskProbe, WritesAndReadsAsMuchAsItSays) {
  ScratchDirectory scratch;
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const std::atomic<int> no_signal{0};
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{1000}, (std::uint64_t{3} << 20) + 1}) {
    rlimit limit = old;
    limit.rlim_cur = bytes;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_NO_THROW(measure_disk(scratch.path(), bytes, no_signal)) << bytes;
    EXPECT_THROW(measure_disk(scratch.path(), bytes + 1, no_signal), IoError) << bytes;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  }
  std::signal(SIGXFSZ, old_handler);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Doctor, RunsAndLeavesNothing) {
  ScratchDirectory scratch;
  const ProgramResult result = run_spillway({"doctor", "--json", scratch.path()});
  EXPECT_LE(result.exit_code, 1) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report.at("default_memory_bytes"), available_memory_bytes() / 2);
  EXPECT_EQ(report.at("directories").at(0).at("path"), scratch.path());
  bool any_problem = false;
  for (const auto& finding : report.at("findings")) any_problem |= finding.at("verdict") == "problem";
  EXPECT_EQ(result.exit_code, any_problem ? 1 : 0);
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  EXPECT_EQ(run_spillway({"doctor", scratch / "missing"}).exit_code, 2);
  const auto quick = nlohmann::json::parse(run_spillway({"doctor", "--quick", "--json", scratch.path()}).out);
  EXPECT_TRUE(quick.at("directories").at(0).at("write_bytes_per_second").is_null());
}

}  // namespace
}  // namespace spillway
