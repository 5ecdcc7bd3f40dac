// The pages of jobs: `index --report` and the same of append, merge and delete.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/index_files.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::read_bytes;
using testing::run_spillway;
using testing::ScratchDirectory;
using testing::write_bytes;

class JobPage : public ::testing::Test {
 protected:
  JobPage() {
    std::string text;
    for (int i = 0; i < 3000; ++i) {
      text += "{\"id\":\"" + std::to_string(i) + "\",\"text\":\"common word" + std::to_string(i % 700) + " other" +
              std::to_string(i) + "\"}\n";
    }
    write_bytes(input_, text);
  }
  static bool has(const std::string& page, const std::string& part) { return page.find(part) != std::string::npos; }

  ScratchDirectory scratch_;
  const std::string input_ = scratch_ / "in.jsonl", index_ = scratch_ / "index", page_ = scratch_ / "page.html";
};

TEST_F(JobPage, ShowsStagesMemoryAndDiskOverTime) {
  const std::string report = scratch_ / "report.json";
  const ProgramResult result = run_spillway({"index", input_, "-o", index_, "--block-bytes", "64K", "--temp-dir",
                                             scratch_.path(), "--report", page_, "--json", report, "-q"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = read_bytes(page_);
  for (const char* part : {"Stages over time", "parse 1", "merge 1", "write 1", "Memory by consumer over time",
                           "the program itself", "Disk space over time", "scratch files", "The plan and its reasons",
                           "processor", "Time of the stages", "and has all waits.", " took ", "The index has ",
                           ", for 3,000 documents.", "Memory held all of it: nothing went to scratch files.",
                           "The stage that bounds the time is ", "No record was skipped."}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  const json recorded = json::parse(read_bytes(report));
  const json& timeline = recorded.at("timeline");
  EXPECT_EQ(timeline.at("stages").front(), "parse");
  EXPECT_EQ(timeline.at("stages").back(), "write");
  double last = 0;
  for (const json& span : timeline.at("spans")) {
    EXPECT_LT(span.at(0).get<std::size_t>(), timeline.at("lanes").size());
    EXPECT_LE(span.at(2).get<double>(), span.at(3).get<double>());
    EXPECT_LE(span.at(4).get<double>(), 1);
    last = std::max(last, span.at(3).get<double>());
  }
  EXPECT_LE(last, timeline.at("seconds").get<double>() + 1e-3);
  const json& memory = recorded.at("memory_over_time");
  EXPECT_EQ(memory.at("resident").size(), memory.at("begins").size());
  for (const auto& [name, values] : memory.at("parts").items()) {
    EXPECT_EQ(values.size(), memory.at("begins").size()) << name;
  }
  // The index that is read back from the page's data is the whole one.
  EXPECT_EQ(recorded.at("disk_over_time").at("parts").at("index").size(), memory.at("begins").size());
}

// As of a job with a GPU whose plan waited for it.
TEST_F(JobPage, NamesTheGpuAndTheTimeOutsideTheJob) {
  const std::string path = scratch_ / "report.json";
  ASSERT_EQ(run_spillway({"index", input_, "-o", index_, "--report", page_, "--json", path, "-q"}).exit_code, 0);
  json report = json::parse(read_bytes(path));
  EXPECT_EQ(report.at("machine").at("gpus"), json::array());
  report["seconds"] = 0.5;
  report["timeline"]["seconds"] = 0.75;
  json& machine = report["machine"];
  machine["gpus"] = {{{"id", 0}, {"name", "A GPU"}, {"memory_bytes", 8 << 20}}};
  machine["gpu_state"] = "used by the job";
  machine["driver"] = "580.1";
  write_bytes(path, report.dump());
  ASSERT_EQ(run_spillway({"bench", "report", path, "-o", page_, "--force"}).exit_code, 0);
  const std::string page = read_bytes(page_);
  for (const char* part :
       {"; A GPU; spillway", "A GPU, 8.00 MiB", "580.1<", "The picture has 250 ms that the time of"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  report["timeline"]["seconds"] = 0.501;
  write_bytes(path, report.dump());
  ASSERT_EQ(run_spillway({"bench", "report", path, "-o", page_, "--force"}).exit_code, 0);
  EXPECT_FALSE(has(read_bytes(page_), "The picture has"));
}

TEST_F(JobPage, SaysInSentencesWhatTheJobDid) {
  write_bytes(input_, "{\"id\":\"1\",\"text\":\"a\"}\nno\n");
  ASSERT_EQ(run_spillway({"index", input_, "-o", index_, "--report", page_, "--max-error-rate", "0.9", "-q"}).exit_code,
            0);
  const std::string page = read_bytes(page_);
  for (const char* part :
       {"<p>25 B took ", ", for 1 document.", "Memory held all of it: nothing went to scratch files.",
        "1 record was skipped: the reasons are below."}) {
    EXPECT_TRUE(has(page, part)) << part << page.substr(page.find("Summary"), 900);
  }
}

// What is recorded must not change what is made, and nothing is recorded without --report.
TEST_F(JobPage, ChangesNoIndex) {
  const std::string report = scratch_ / "report.json";
  ASSERT_EQ(run_spillway({"index", input_, "-o", index_, "--report", page_, "-q"}).exit_code, 0);
  ASSERT_EQ(run_spillway({"index", input_, "-o", index_ + "2", "--json", report, "-q"}).exit_code, 0);
  EXPECT_EQ(read_bytes(index_ + "/manifest"), read_bytes(index_ + "2/manifest"));
  EXPECT_FALSE(json::parse(read_bytes(report)).contains("timeline"));
}

TEST_F(JobPage, IsMadeOfAFailedJob) {
  write_bytes(input_, "no\nno\n");
  const ProgramResult result =
      run_spillway({"index", "--format", "jsonl", input_, "-o", index_, "--report", page_, "-q"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  const std::string page = read_bytes(page_);
  EXPECT_TRUE(has(page, "The job failed: "));
  EXPECT_FALSE(has(page, " took ")) << "nor what a job that succeeds has done";
  EXPECT_TRUE(has(page, "bad_json"));
}

TEST_F(JobPage, IsMadeOfAppendMergeAndDelete) {
  ASSERT_EQ(run_spillway({"index", input_, "-o", index_, "-q"}).exit_code, 0);
  write_bytes(scratch_ / "more.jsonl", "{\"id\":\"new\",\"text\":\"a b\"}\n");
  ASSERT_EQ(run_spillway({"append", index_, scratch_ / "more.jsonl", "--report", page_, "-q"}).exit_code, 0);
  EXPECT_TRUE(has(read_bytes(page_), "merge 1"));
  ASSERT_EQ(run_spillway({"merge", index_, "-o", index_ + "2", "--report", page_, "--force", "-q"}).exit_code, 0);
  EXPECT_TRUE(has(read_bytes(page_), "A merge of indexes"));
  EXPECT_TRUE(has(read_bytes(page_), "Memory by consumer over time"));
  ASSERT_EQ(run_spillway({"delete", index_, "--id", "new", "--report", page_, "--force", "-q"}).exit_code, 0);
  EXPECT_TRUE(has(read_bytes(page_), "Documents removed from an index"));
}

TEST_F(JobPage, IsNoOtherFileOfTheJob) {
  for (const char* option : {"--json", "--skipped"}) {
    const ProgramResult result = run_spillway({"index", input_, "-o", index_, "--report", page_, option, page_});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(has(result.err, "name the same file; name two")) << result.err;
  }
  EXPECT_EQ(run_spillway({"index", input_, "-o", index_, "--report", input_, "--force"}).exit_code, 2);
  EXPECT_EQ(run_spillway({"index", input_, "-o", index_, "--report", index_ + "/page.html"}).exit_code, 2);
  write_bytes(page_, "old");
  EXPECT_EQ(run_spillway({"index", input_, "-o", index_, "--report", page_}).exit_code, 2) << "there is one";
  EXPECT_EQ(read_bytes(page_), "old");
}

TEST_F(JobPage, ThatCannotBeWrittenLeavesTheIndex) {
  const ProgramResult result =
      run_spillway({"index", input_, "-o", index_, "--report", "/dev/full", "--json", scratch_ / "report.json", "-q"});
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_TRUE(has(result.err, "the index is complete, only its report is not: ")) << result.err;
  EXPECT_EQ(run_spillway({"verify", index_}).exit_code, 0);
  EXPECT_FALSE(read_bytes(scratch_ / "report.json").empty());
}

}  // namespace
}  // namespace spillway
