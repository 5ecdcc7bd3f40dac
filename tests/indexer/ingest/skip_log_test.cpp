#include "indexer/ingest/skip_log.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "io/base/error.hpp"

namespace spillway {
namespace {

IndexReport report_of(const SkipLog& log) {
  IndexReport report;
  log.write(report);
  return report;
}

TEST(SkipLog, CountsByReason) {
  SkipLog log(1, false);
  log.add_documents(10);
  log.add(SkipReason::kBadJson, 0, {"a", 5}, "x");
  log.add(SkipReason::kBadJson, 0, {"a", 9}, "y");
  log.add(SkipReason::kBinary, 4);
  log.add(SkipReason::kGzipCorrupt, 0);  // none
  const IndexReport report = report_of(log);
  EXPECT_EQ(report.records_in, 16U);
  EXPECT_EQ(log.documents(), 10U);
  EXPECT_EQ(log.skipped(), 6U);
  EXPECT_EQ(report.skipped,
            (std::vector<std::pair<SkipReason, std::uint64_t>>{{SkipReason::kBadJson, 2}, {SkipReason::kBinary, 4}}));
}

TEST(SkipLog, MovesDocumentsThatTurnedOutToBeDuplicates) {
  SkipLog log(1, false);
  log.add_documents(10);
  log.move_documents(SkipReason::kDuplicateId, 3);
  EXPECT_EQ(log.documents(), 7U);
  EXPECT_EQ(report_of(log).records_in, 10U);
}

TEST(SkipLog, KeepsTheFirstExamplesOfEachReasonInInputOrder) {
  SkipLog log(1, false);
  for (std::uint64_t task = 20; task-- > 0;) {
    for (std::uint64_t i = 0; i < 2; ++i) {
      log.add(SkipReason::kBadJson, task, {"file", task * 10 + i}, "d");
      log.add(SkipReason::kMissingId, task, {"file", 1000 + task * 10 + i}, "d");
    }
  }
  const IndexReport report = report_of(log);
  std::vector<std::uint64_t> offsets;
  for (const SkippedRecord& record : report.examples) offsets.push_back(record.offset);
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 1, 10, 1000, 1001, 1010}));
  EXPECT_EQ(report.examples[0].reason, SkipReason::kBadJson);
  EXPECT_EQ(report.examples[3].reason, SkipReason::kMissingId);
}

TEST(SkipLog, TellsItsListenerOfEveryRecord) {
  std::vector<SkippedRecord> heard;
  SkipLog log(1, false, [&](const SkippedRecord& record) { heard.push_back(record); });
  for (std::uint64_t i = 0; i < 10; ++i) log.add(SkipReason::kRevisit, i, {"file", i, "id", "http://x/"}, "d\n");
  log.report({.reason = SkipReason::kDuplicateId, .offset = 3, .id = "b"});
  log.move_documents(SkipReason::kDuplicateId, 1);
  ASSERT_EQ(heard.size(), 11U);
  EXPECT_EQ(heard[9].offset, 9U);
  EXPECT_EQ(heard[9].path, "file");
  EXPECT_EQ(heard[9].id, "id");
  EXPECT_EQ(heard[9].url, "http://x/");
  EXPECT_EQ(heard[9].detail, "d\n");
  EXPECT_EQ(heard[10].reason, SkipReason::kDuplicateId);
  EXPECT_EQ(log.skipped(), 11U);
}

TEST(SkipLog, EscapesWhatComesFromTheInput) {
  SkipLog log(1, false);
  log.add(SkipReason::kBadJson, 0, {"file", 0}, "\x1B[31mred\n");
  const std::string detail = report_of(log).examples.at(0).detail;
  EXPECT_EQ(detail.find('\x1B'), std::string::npos);
  EXPECT_EQ(detail.find('\n'), std::string::npos);
  EXPECT_NE(detail.find("red"), std::string::npos);
}

TEST(SkipLog, StrictStopsAtTheFirstNamingThePlace) {
  SkipLog log(1, true);
  try {
    log.add(SkipReason::kBadJson, 3, {"dir/in\x01put.jsonl", 12345}, "no closing brace");
    FAIL() << "no exception";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), ExitCode::kBadInput);
    for (const char* part : {"dir/in\\x01put.jsonl", "12345", "bad_json", "no closing brace", "--strict"}) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
    }
  }
  EXPECT_EQ(log.skipped(), 1U);
}

TEST(SkipLog, JudgesTheRateFromTenThousandRecordsOn) {
  SkipLog log(0.01, false);
  log.add(SkipReason::kBadJson, 0, {"f", 0}, "d");
  for (int i = 0; i < 200; ++i) log.add(SkipReason::kMissingId, 0, {"f", 0}, "d");
  log.add_documents(9798);
  EXPECT_NO_THROW(log.judge());
  EXPECT_THROW(log.judge_at_end(), InputError);
  log.add_documents(1);
  EXPECT_THROW(log.judge(), InputError);
  log.add_documents(20100 - 10000 - 1);
  EXPECT_THROW(log.judge(), InputError);  // 201 of 20 099
  log.add_documents(1);
  EXPECT_NO_THROW(log.judge());  // exactly 1 %
  EXPECT_NO_THROW(log.judge_at_end());
}

TEST(SkipLog, NamesRateLimitAndFirstPlacesWhenThereIsTooMuch) {
  SkipLog log(0.25, false);
  log.add_documents(1);
  log.add(SkipReason::kBadJson, 0, {"one.jsonl", 77}, "what was wrong");
  try {
    log.judge_at_end();
    FAIL() << "no exception";
  } catch (const InputError& error) {
    const std::string message = error.what();
    for (const char* part : {"1 of 2", "50 %", "25 %", "one.jsonl", "77", "what was wrong", "--max-error-rate"}) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
    }
  }
}

TEST(SkipLog, AllowsNothingOrEverythingAtTheEndsOfTheScale) {
  SkipLog none(0, false);
  EXPECT_NO_THROW(none.judge_at_end());
  none.add_documents(1000000);
  EXPECT_NO_THROW(none.judge_at_end());
  none.add(SkipReason::kBinary, 1);
  EXPECT_THROW(none.judge_at_end(), InputError);
  SkipLog all(1, false);
  all.add(SkipReason::kBinary, 100);
  EXPECT_NO_THROW(all.judge_at_end());
}

TEST(SkipLog, CountsFromManyThreads) {
  SkipLog log(1, false);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < 1000; ++i) {
          log.add(SkipReason::kBadJson, t, {"f", i}, "d");
          log.add_documents(2);
          log.judge();
        }
      });
    }
  }
  EXPECT_EQ(report_of(log).records_in, 12000U);
  EXPECT_EQ(report_of(log).skipped.at(0).second, 4000U);
  EXPECT_EQ(report_of(log).examples.size(), SkipLog::kExamples);
}

}  // namespace
}  // namespace spillway
