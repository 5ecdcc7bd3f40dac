// The option --skipped: as many lines as records that are not indexed, each with its place, id, URL and reason.
#include "tools/report/skipped.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "corpora/unpack/gzip_ahead.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/records/warc_samples.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using nlohmann::json;
using testing::archived;
using testing::archived_page;
using testing::ProgramResult;
using testing::run_spillway;
namespace fs = std::filesystem;

class SkippedRecords : public ::testing::Test {
 protected:
  ProgramResult index(const std::string& input, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"index", input, "-o", index_, "--json", report_, "--skipped", skipped_, "--force"};
    words.insert(words.end(), more.begin(), more.end());
    return run_spillway(words);
  }
  std::vector<json> lines() const {
    std::vector<json> found;
    std::istringstream text(read_file(posix_file_system(), skipped_));
    for (std::string line; std::getline(text, line);) found.push_back(json::parse(line));
    return found;
  }
  // The lines agree with the report, which adds up.
  void expect_ledger() const {
    const json report = json::parse(read_file(posix_file_system(), report_));
    std::map<std::string, std::uint64_t> counts;
    for (const json& line : lines()) ++counts[line.at("reason")];
    EXPECT_EQ(json(counts), report.at("skipped"));
    EXPECT_EQ(report.at("records_in").get<std::uint64_t>(),
              report.at("documents").get<std::uint64_t>() + lines().size());
  }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(scratch_ / name, std::ios::binary) << bytes;
    return scratch_ / name;
  }

  const testing::ScratchDirectory scratch_;
  const std::string index_ = scratch_ / "index", report_ = scratch_ / "report", skipped_ = scratch_ / "skipped";
};

TEST_F(SkippedRecords, HavePlaceIdAddressAndReason) {
  const std::string info = archived("warcinfo", "urn:i", "x");
  const std::string input =
      write("in.warc", info + archived_page("urn:a", "<p>one") + archived_page("urn:b", "gone", "", "404 Not Found"));
  EXPECT_EQ(index(input).exit_code, 0);
  expect_ledger();
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(lines()[0], json({{"file", input},
                              {"offset", 0},
                              {"id", "urn:i"},
                              {"url", "http://example.com/urn:i"},
                              {"reason", "record_type"},
                              {"detail", "a record of type warcinfo"}}));
  EXPECT_EQ(lines()[1].at("id"), "urn:b");
  EXPECT_EQ(lines()[1].at("detail"), "HTTP status 404");
  const std::string hits = run_spillway({"search", index_, "one", "--format", "json"}).out;
  EXPECT_EQ(json::parse(hits)["hits"][0]["url"], "http://example.com/urn:a");
  EXPECT_EQ(json::parse(hits)["hits"][0]["date"], "2024-01-02T03:04:05Z");
}

TEST_F(SkippedRecords, AddUpForDamagedArchivesAndAnyNumberOfThreads) {
  std::string members;
  std::mt19937_64 random(5);
  for (int i = 0; i < 400; ++i) {
    const std::string id = "urn:" + std::to_string(i);
    std::string words = "<p>page " + id;
    for (int word = 0; word < 500; ++word) words += " " + std::to_string(random());
    members += testing::gzip_member(i % 3 == 0 ? archived("request", id, "GET /") : archived_page(id, words));
  }
  for (std::size_t at = 1000; at < members.size(); at += 50'000) members[at] ^= 0x10;
  members.resize(members.size() - 20);
  ASSERT_GT(members.size(), GzipAhead::kLeastFileBytes);
  const std::string input = write("in.warc.gz", members);
  std::multiset<std::string> first;
  std::map<std::string, std::string> files;
  for (const auto& [threads, memory] :
       {std::pair{"1", "1G"}, std::pair{"4", "1G"}, std::pair{"8", "1G"}, std::pair{"4", "64M"}}) {
    EXPECT_EQ(index(input, {"--max-error-rate", "1", "--threads", threads, "--memory", memory}).exit_code, 0);
    std::map<std::string, std::string> made;
    for (const auto& entry : fs::directory_iterator(index_)) {
      made[entry.path().filename()] = read_file(posix_file_system(), entry.path());
    }
    if (files.empty()) files = made;
    EXPECT_TRUE(made == files) << threads << " threads, " << memory;
    expect_ledger();
    std::multiset<std::string> all;
    for (const json& line : lines()) all.insert(line.dump());
    if (first.empty()) first = all;
    EXPECT_EQ(all, first);
    EXPECT_GT(all.size(), 140U);
  }
}

TEST_F(SkippedRecords, IncludeDocumentsWithTheIdOfAnother) {
  const std::string input = write("in.jsonl", R"({"id":"a","text":"x"}
{"id":"b","text":"x"}
{"id":"a","text":"y"}
no object
)");
  EXPECT_EQ(index(input, {"--max-error-rate", "1"}).exit_code, 0);
  expect_ledger();
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(lines()[0].at("reason"), "bad_json");
  EXPECT_EQ(lines()[0].at("id"), nullptr);
  EXPECT_EQ(lines()[1], json({{"document", 2},
                              {"id", "a"},
                              {"url", nullptr},
                              {"reason", "duplicate_id"},
                              {"detail", "document 0 has the same id"}}));
}

TEST_F(SkippedRecords, IncludeDocumentsWithTheUrlOfAnother) {
  const std::string input = write("in.jsonl", R"({"id":"a","text":"x","url":"u"}
{"id":"b","text":"x","url":"v"}
{"id":"c","text":"y","url":"u"}
{"id":"a","text":"z"}
{"id":"d","text":"z","url":"u"}
)");
  EXPECT_EQ(index(input, {"--dedup", "url", "--max-error-rate", "0.2"}).exit_code, 0);
  expect_ledger();
  ASSERT_EQ(lines().size(), 3U);
  EXPECT_EQ(lines()[0], json({{"document", 2},
                              {"id", "c"},
                              {"url", "u"},
                              {"reason", "duplicate_url"},
                              {"detail", "an earlier document has the same URL"}}));
  EXPECT_EQ(lines()[1].at("id"), "d");
  EXPECT_EQ(lines()[2].at("reason"), "duplicate_id");
  EXPECT_EQ(index(input, {"--dedup", "url", "--duplicate-ids", "keep", "--strict"}).exit_code, 0) << "it is no error";
}

TEST_F(SkippedRecords, IncludeDocumentsWithTheTextOfAnother) {
  const std::string input =
      write("in.warc", archived_page("urn:a", "<title>t</title><p>one &amp; the same") +
                           archived_page("urn:b", "<title>t</title><p>one") +
                           archived_page("urn:c", "<title>t</title><b><p>one &#38; the same</b>"));
  EXPECT_EQ(index(input, {"--dedup", "exact", "--store", "none", "--strict"}).exit_code, 0) << "it is no error";
  expect_ledger();
  EXPECT_EQ(index(input, {"--dedup", "exact"}).exit_code, 0);
  expect_ledger();
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_EQ(lines()[0], json({{"document", 2},
                              {"id", "urn:c"},
                              {"url", "http://example.com/urn:c"},
                              {"reason", "duplicate_text"},
                              {"detail", "an earlier document has the same title and text"}}));
}

TEST_F(SkippedRecords, AreListedIfTheyAreTooMany) {
  const std::string input = write("in.jsonl", "no object\n{\"id\":\"a\",\"text\":\"x\"}\n");
  EXPECT_EQ(index(input, {"--format", "jsonl"}).exit_code, 3);
  EXPECT_EQ(lines().size(), 1U);
  EXPECT_FALSE(fs::exists(index_));
}

// The inputs are known only once lists were read and directories walked.
TEST_F(SkippedRecords, ReplaceNoInput) {
  const std::string text = "{\"id\":\"a\",\"text\":\"x\"}\nno object\n";
  const std::string input = write("in.jsonl", text);
  fs::create_directory(scratch_ / "directory");
  fs::create_hard_link(input, scratch_ / "directory/linked.jsonl");
  const std::string list = write("list", input + "\n");
  for (const char* const option : {"--skipped", "--json"}) {
    for (const std::string& named : {"@" + list, scratch_ / "directory"}) {
      const ProgramResult result =
          run_spillway({"index", named, "-o", index_, option, input, "--force", "--max-error-rate", "1"});
      EXPECT_EQ(result.exit_code, 2) << result.err;
      EXPECT_NE(result.err.find("would replace the input"), std::string::npos) << result.err;
      EXPECT_EQ(read_file(posix_file_system(), input), text);
      EXPECT_FALSE(fs::exists(index_));
    }
  }
}

TEST_F(SkippedRecords, GoToAFileOfTheirOwn) {
  const std::string input = write("in.jsonl", "{\"id\":\"a\",\"text\":\"x\"}\n");
  EXPECT_EQ(run_spillway({"index", input, "-o", index_, "--json", report_, "--skipped", report_}).exit_code, 2);
  EXPECT_EQ(run_spillway({"index", input, "-o", index_, "--skipped", input, "--force"}).exit_code, 2);
  EXPECT_EQ(run_spillway({"index", input, "-o", index_, "--skipped", index_ + "/x"}).exit_code, 2);
  EXPECT_EQ(run_spillway({"index", input, "-o", index_, "--skipped", skipped_, "--resumable"}).exit_code, 2);
  const ProgramResult full = run_spillway({"index", input, "-o", index_, "--skipped", "/dev/full"});
  EXPECT_EQ(full.exit_code, 0) << "nothing is written: " << full.err;
  const std::string bad = write("bad.jsonl", "x\n{\"id\":\"a\",\"text\":\"x\"}\n");
  const ProgramResult failed = run_spillway(
      {"index", bad, "--format", "jsonl", "--max-error-rate", "1", "-o", index_, "--skipped", "/dev/full", "--force"});
  EXPECT_EQ(failed.exit_code, 7) << failed.err;
  std::string many;  // lines of the list that do not wait for the end
  for (int i = 0; i < 3000; ++i) many += "no object\n";
  const ProgramResult long_list =
      run_spillway({"index", write("many.jsonl", many + R"({"id":"a","text":"x"})"), "--format", "jsonl",
                    "--max-error-rate", "1", "-o", index_, "--skipped", "/dev/full", "--force"});
  EXPECT_EQ(long_list.exit_code, 7) << long_list.err;
  EXPECT_EQ(run_spillway({"verify", index_}).exit_code, 0);
  EXPECT_NE(failed.err.find("only its list of skipped records is not"), std::string::npos) << failed.err;
}

}  // namespace
}  // namespace spillway
