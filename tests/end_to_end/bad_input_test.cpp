// Indexes broken input: the readable records are indexed, all counts add up, and a job with too many bad records is
// refused and leaves nothing behind.
#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/index/verify.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/run_program.hpp"

namespace spillway {
namespace {

using testing::Documents;
using testing::expect_equals_oracle;
using testing::index_job;
using testing::ProgramResult;
using testing::run_job;
using testing::run_spillway;
using testing::ScratchDirectory;
using testing::write_bytes;
namespace fs = std::filesystem;

using Ledger = std::map<SkipReason, std::uint64_t>;

Ledger ledger_of(const IndexReport& report) {
  Ledger ledger;
  std::uint64_t skipped = 0;
  for (const auto& [reason, count] : report.skipped) {
    ledger[reason] = count;
    skipped += count;
  }
  EXPECT_EQ(report.records_in, report.documents + skipped) << "the ledger does not add up";
  return ledger;
}

std::string good_line(int number) {
  return R"({"id":"good)" + std::to_string(number) + R"(","text":"a good document number )" + std::to_string(number) +
         "\"}\n";
}

class BadInput : public ::testing::Test {
 protected:
  // Good documents with bad lines between them, in the order given.
  std::string mixed(const std::vector<std::string>& bad_lines) {
    std::string text;
    int number = 0;
    for (const std::string& bad : bad_lines) {
      good_.push_back(
          {"good" + std::to_string(number), "", "", "", "a good document number " + std::to_string(number)});
      text += good_line(number++) + bad;
      if (!bad.empty()) text += "\n";
    }
    return text;
  }
  IndexReport index(const std::string& content, CorpusFormat format = CorpusFormat::kJsonl) {
    write_bytes(scratch_ / "in", content);
    options_ = index_job({scratch_ / "in"}, scratch_ / "index");
    options_.corpus.format = format;
    options_.force = true;
    return run_job(options_);
  }
  ScratchDirectory scratch_;
  Documents good_;
  IndexOptions options_;
};

TEST_F(BadInput, JsonlRecordsAreSkippedByReason) {
  std::string deep = R"({"id":"x","text":)";
  for (int i = 0; i < 1000000; ++i) deep += "[";
  const IndexReport report = index(
      mixed({"{", "not json", R"({"id":"x","text":"unfinished)", "[1,2]", deep, R"({"text":"no id"})", R"({"id":"x"})",
             R"({"id":"x","text":["list"]})", R"({"id":")" + std::string(70000, 'i') + R"(","text":"t"})"}));
  const Ledger ledger = ledger_of(report);
  EXPECT_EQ(ledger, (Ledger{{SkipReason::kBadJson, 5},
                            {SkipReason::kMissingId, 1},
                            {SkipReason::kMissingText, 1},
                            {SkipReason::kBadField, 1},
                            {SkipReason::kIdTooLong, 1}}));
  expect_equals_oracle(scratch_ / "index", good_, {});
  for (const SkippedRecord& record : report.examples) {
    EXPECT_EQ(record.path, scratch_ / "in");
    EXPECT_GT(record.offset, 0U);
  }
}

TEST_F(BadInput, TextIsRepairedAndCounted) {
  Documents documents{
      {"1", "", "", "", "bro\uFFFDken"}, {"2", "", "", "", "lone \uFFFD surrogate"}, {"3", "", "", "", "fine é"}};
  const IndexReport report = index(
      "{\"id\":\"1\",\"text\":\"bro\xFFken\"}\n"
      R"({"id":"2","text":"lone \ud800 surrogate"})"
      "\n"
      R"({"id":"3","text":"fine \u00e9"})"
      "\n");
  EXPECT_EQ(report.repaired, 2U);
  EXPECT_TRUE(ledger_of(report).empty());
  expect_equals_oracle(scratch_ / "index", documents, {});
}

TEST_F(BadInput, DocumentsAboveTheLimitAreSkipped) {
  write_bytes(scratch_ / "in",
              good_line(0) + R"({"id":"long","text":")" + std::string(3000000, 'x') + "\"}\n" + good_line(1));
  IndexOptions options = index_job({scratch_ / "in"}, scratch_ / "index");
  options.content.max_document_bytes = 1 << 20;
  const IndexReport report = run_job(options);
  EXPECT_EQ(ledger_of(report), (Ledger{{SkipReason::kDocumentTooLong, 1}}));
  EXPECT_EQ(report.documents, 2U);
}

TEST_F(BadInput, TruncatedGzipKeepsWholeRecords) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += good_line(i);
  const std::string packed = testing::gzip_member(text);
  const IndexReport report = index(packed.substr(0, packed.size() / 2));
  const Ledger ledger = ledger_of(report);
  EXPECT_EQ(ledger, (Ledger{{SkipReason::kGzipTruncated, 1}}));
  EXPECT_GT(report.documents, 500U);
  EXPECT_LT(report.documents, 3000U);
  Documents kept;
  for (std::uint64_t i = 0; i < report.documents; ++i) {
    const std::string number = std::to_string(i);
    kept.push_back({"good" + number, "", "", "", "a good document number " + number});
  }
  expect_equals_oracle(scratch_ / "index", kept, {});
}

TEST_F(BadInput, GarbageBehindPackedInputIsCounted) {
  EXPECT_EQ(ledger_of(index(testing::gzip_member(mixed({"", ""})) + "garbage behind it")),
            (Ledger{{SkipReason::kTrailingGarbage, 1}}));
  expect_equals_oracle(scratch_ / "index", good_, {});
  EXPECT_TRUE(ledger_of(index(testing::gzip_member(good_line(0)) + std::string(1000, '\0'))).empty());  // padding
}

TEST_F(BadInput, BrokenZstdIsCounted) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += good_line(i);
  const std::string packed = testing::zstd_frame(text);
  EXPECT_EQ(ledger_of(index(packed.substr(0, packed.size() - 20))), (Ledger{{SkipReason::kZstdTruncated, 1}}));
  std::string flipped = packed;
  flipped[packed.size() / 2] = static_cast<char>(flipped[packed.size() / 2] ^ 0x10);
  const Ledger ledger = ledger_of(index(flipped));
  EXPECT_EQ(ledger.begin()->first, SkipReason::kZstdCorrupt);
}

TEST_F(BadInput, BinaryFilesAreSkipped) {
  fs::create_directory(scratch_ / "docs");
  write_bytes(scratch_ / "docs/a.txt", "a text");
  write_bytes(scratch_ / "docs/b.bin", std::string("\x7F"
                                                   "ELF\0\0\0\0",
                                                   8));
  const IndexReport report = run_job(index_job({scratch_ / "docs"}, scratch_ / "index"));
  EXPECT_EQ(ledger_of(report), (Ledger{{SkipReason::kBinary, 1}}));
  EXPECT_EQ(report.documents, 1U);
}

// Changes random bytes in every kind of input: the program does not crash, and all counts add up.
TEST_F(BadInput, KeepsTheLedgerWhateverIsFlipped) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += good_line(i);
  const std::string kinds[] = {text, testing::gzip_member(text), testing::zstd_frame(text),
                               testing::gzip_member(text.substr(0, 300)) + testing::gzip_member(text.substr(300))};
  std::mt19937_64 random(11);
  for (const std::string& kind : kinds) {
    int verified = 0;
    for (int i = 0; i < 60; ++i) {
      std::string broken = kind;
      for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips) {
        broken[random() % broken.size()] = static_cast<char>(random());
      }
      if (random() % 4 == 0) broken.resize(random() % broken.size());
      try {
        const IndexReport report = index(broken);
        ledger_of(report);
        verify_index(IndexReader(posix_file_system(), scratch_ / "index"));
        ++verified;
      } catch (const BudgetError&) {  // a zstd window, as the broken header says
      } catch (const InputError&) {
      }
      if (HasFailure()) return;
    }
    EXPECT_GT(verified, 30) << "of 60";
  }
}

class ErrorRate : public BadInput {
 protected:
  ProgramResult run(std::vector<std::string> more) {
    std::vector<std::string> words{"index",    scratch_ / "in", "-o",     scratch_ / "out",
                                   "--format", "jsonl",         "--json", scratch_ / "report"};
    words.insert(words.end(), more.begin(), more.end());
    fs::remove(scratch_ / "report");
    const ProgramResult result = run_spillway(words);
    EXPECT_FALSE(fs::exists(scratch_ / "out.work"));
    EXPECT_EQ(fs::exists(scratch_ / "out"), result.exit_code == 0);
    fs::remove_all(scratch_ / "out");
    return result;
  }
  nlohmann::json report() const { return nlohmann::json::parse(testing::read_bytes(scratch_ / "report")); }
};

TEST_F(ErrorRate, DecidesWhetherThereIsAnIndex) {
  std::string text;
  for (int i = 0; i < 98; ++i) text += good_line(i);
  text += "{bad\n{worse\n";
  write_bytes(scratch_ / "in", text);
  for (const char* rate : {"0", "0.01", "1.9%"}) {
    const ProgramResult result = run({"--max-error-rate", rate});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_NE(result.err.find("2 of 100"), std::string::npos) << result.err;
    EXPECT_EQ(report().at("exit_code"), 3);
  }
  EXPECT_EQ(run({}).exit_code, 3) << "1 % by default";
  for (const char* rate : {"0.02", "2%", "1"}) {
    EXPECT_EQ(run({"--max-error-rate", rate}).exit_code, 0) << rate;
    const nlohmann::json found = report();
    EXPECT_EQ(found.at("records_in"), 100);
    EXPECT_EQ(found.at("documents"), 98);
    EXPECT_EQ(found.at("skipped").at("bad_json"), 2);
  }
}

TEST_F(ErrorRate, StrictStopsAtTheFirstRecordAndNamesItsPlace) {
  const std::string good = good_line(0) + good_line(1);
  write_bytes(scratch_ / "in", good + "{bad\n" + good_line(2));
  const ProgramResult result = run({"--strict"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find("byte " + std::to_string(good.size() + 1)), std::string::npos) << result.err;
  write_bytes(scratch_ / "in", good);
  EXPECT_EQ(run({"--strict"}).exit_code, 0);
}

TEST_F(ErrorRate, StopsALongJobBeforeItsEnd) {
  std::string text;
  for (int i = 0; i < 300000; ++i) text += "{bad\n";
  write_bytes(scratch_ / "in", text);
  const ProgramResult result = run({"--threads", "1"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_LT(report().at("records_in"), 300000);
}

TEST_F(ErrorRate, NeverPrintsWhatIsInTheInputUnescaped) {
  write_bytes(scratch_ / "in", "\x1B[31m\x07{red\n" + good_line(0));
  for (const char* option : {"--strict", "--verbose"}) {
    const ProgramResult result = run({option});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.err.find('\x1B'), std::string::npos);
    EXPECT_EQ(result.err.find('\x07'), std::string::npos);
  }
}

}  // namespace
}  // namespace spillway
