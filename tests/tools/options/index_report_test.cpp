#include "tools/options/index_report.hpp"

#include <gtest/gtest.h>

#include "tools/cli/terminal.hpp"

namespace spillway {
namespace {

using nlohmann::ordered_json;

IndexOptions some_options() {
  IndexOptions options;
  options.inputs = {"in\xff.jsonl"};
  options.output = "out\x1b[31m\xC2\x9B\x7F";
  options.content.stop_words = "a\nthe\n";
  return options;
}

IndexReport some_report() {
  IndexReport report;
  report.input_bytes = 2'000'000;
  report.records_in = 1010;
  report.documents = 1000;
  report.repaired = 4;
  report.skipped = {{SkipReason::kBadJson, 7}, {SkipReason::kMissingId, 3}};
  report.examples = {{SkipReason::kBadJson, "in.jsonl", 42, "expected an object\x07"},
                     {SkipReason::kMissingId, "in.jsonl", 99, "no id"}};
  report.seconds = 2;
  report.memory_bytes = 64 << 20;
  report.peak_resident_bytes = 32 << 20;
  report.stages = {{"read+parse", 3, 2, 2'000'000}, {"merge", 1, 0.5, 1'000'000}};
  report.bottleneck = "read+parse";
  return report;
}

TEST(IndexSummary, SaysWhatWasSkippedAndWhere) {
  const std::string text = index_summary(some_options(), some_report());
  EXPECT_NE(text.find("1,010 records: 1,000 indexed, 10 skipped, 4 repaired"), std::string::npos) << text;
  EXPECT_NE(text.find("skipped 7 as bad_json\n    in.jsonl, byte 42: expected an object"), std::string::npos) << text;
  EXPECT_NE(text.find("skipped 3 as missing_id\n    in.jsonl, byte 99: no id"), std::string::npos) << text;
}

TEST(IndexSummary, ShowsStagesMemoryAndBottleneck) {
  const std::string text = index_summary(some_options(), some_report());
  EXPECT_NE(text.find("75.0 %  <- bottleneck"), std::string::npos) << text;
  EXPECT_NE(text.find("peak 32.0 MiB of 64.0 MiB (50.0 %)"), std::string::npos) << text;
  EXPECT_NE(text.find("1.00 MB/s"), std::string::npos) << text;
}

TEST(IndexSummary, LetsNoControlCharacterThrough) {
  const std::string text = index_summary(some_options(), some_report());
  EXPECT_NE(text.find("out\\x1B[31m\\x9B\\x7F"), std::string::npos) << text;
  EXPECT_NE(text.find("expected an object\\x07"), std::string::npos) << text;
  EXPECT_EQ(printable_lines(text), text);
}

TEST(IndexReportJson, CountsNoErrorsAmongRecordsThatWereNotAskedFor) {
  IndexReport report = some_report();
  report.skipped.emplace_back(SkipReason::kHttpStatus, 5);
  const ordered_json json = index_report_json(some_options(), report, {ExitCode::kDone, ""});
  EXPECT_EQ(json["skipped_records"], 15);
  EXPECT_EQ(json["error_records"], 10);
}

TEST(IndexReportJson, AddsUpAndNamesTheOutcome) {
  const ordered_json report = index_report_json(some_options(), some_report(), {ExitCode::kBadInput, "too much"});
  EXPECT_EQ(report["exit_code"], 3);
  EXPECT_EQ(report["error"], "too much");
  EXPECT_EQ(report["records_in"], 1010);
  EXPECT_EQ(report["documents"].get<int>() + report["skipped_records"].get<int>(), 1010);
  EXPECT_EQ(report["skipped"], (ordered_json{{"bad_json", 7}, {"missing_id", 3}}));
  EXPECT_EQ(report["error_records"], 10);
  EXPECT_EQ(report["examples"][0]["offset"], 42);
  EXPECT_EQ(report["stages"][0]["share"], 0.75);
  EXPECT_EQ(report["options"]["stop_words"], 2);
  EXPECT_EQ(report["options"]["tokenizer"], "unicode");
  EXPECT_TRUE(index_report_json(some_options(), some_report(), {})["error"].is_null());
}

}  // namespace
}  // namespace spillway
