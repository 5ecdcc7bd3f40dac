// The small files of resumable jobs: what is written is read again, and every changed byte and every cut is refused.
#include <gtest/gtest.h>

#include "indexer/resume/commit.hpp"
#include "indexer/resume/description.hpp"
#include "io/base/error.hpp"
#include "io/file/sealed_text.hpp"

namespace spillway {
namespace {

JobDescription description() {
  JobDescription job;
  job.command = "index";
  job.release = "1.2.3";
  job.content.stop_words = "a\nthe\n";
  job.options = {{"--format", "auto"}, {"--part", "1/2"}, {"--id-field (tsv)", ""}};
  job.inputs.add({"12 bytes, modified at 7 ns", "dir/with space\nand % line.jsonl"}, 12);
  job.inputs.add({"30 bytes, modified at 8 ns", "\xFF\xFE"}, 30);
  return job;
}

CommittedSource run(const std::string& name) {
  CommittedSource source{name, 4711, {}, true};
  source.summary.document_count = 9;
  source.summary.entry_count = 8;
  source.summary.posting_count = 7;
  source.summary.occurrence_count = 6;
  source.summary.sum.lanes = {5, 4};
  source.summary.sum.positions = 3;
  source.summary.has_stored_ids = true;
  return source;
}

Commit commit() {
  Commit made;
  made.number = 3;
  made.job.fill(0xAB);
  made.seconds = 1'700'000'000;
  made.ledger.position = {1, 2, 3, 4};
  made.ledger.bytes = 5;
  made.ledger.documents = 6;
  made.ledger.repaired = 7;
  made.ledger.overlong_tokens = 8;
  made.ledger.fields_cut = 9;
  made.ledger.skip(SkipReason::kBadJson, {"a b", 77}, "expected a value\nfound none");
  made.ledger.skip(SkipReason::kBinary, {"c", 1}, "");
  made.merge_steps = 2;
  made.sources = {run("spillway-run-0"), run("input-4")};
  return made;
}

void read_description(const std::string& text) { JobDescription::parse(text, "OUT.work/spillway-job"); }
void read_commit(const std::string& text) { Commit::parse(text, "OUT.work/spillway-manifest-3"); }

template <typename Read>
void expect_refused(const std::string& text, const Read& read, const std::string& where) {
  try {
    read(text);
    FAIL() << "accepted: " << where;
  } catch (const FormatError& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("OUT.work/spillway-"), std::string::npos) << words;
    EXPECT_NE(words.find("--restart"), std::string::npos) << words;
  }
}

template <typename Read>
void expect_all_damage_refused(const std::string& text, const Read& read) {
  ASSERT_NO_THROW(read(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const int mask : {0x01, 0x20, 0x80, 0xFF}) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      expect_refused(damaged, read, "byte " + std::to_string(i));
    }
    expect_refused(text.substr(0, i), read, "cut to " + std::to_string(i));
    expect_refused(text.substr(i + 1), read, "without the first " + std::to_string(i + 1));
  }
  expect_refused(text + "\n", read, "with another line end");
}

TEST(JobDescriptions, AreReadAsTheyWereWritten) {
  const JobDescription read = JobDescription::parse(description().serialize(), "x");
  EXPECT_EQ(read.serialize(), description().serialize());
  EXPECT_EQ(description().difference_from(read), "");
  EXPECT_EQ(read.inputs.listed()[0].path, "dir/with space\nand % line.jsonl");
  EXPECT_EQ(read.inputs.bytes(), 42U);
}

TEST(JobDescriptions, RefuseEveryDamage) { expect_all_damage_refused(description().serialize(), read_description); }

TEST(JobDescriptions, NameWhatDiffers) {
  const JobDescription before = description();
  const auto difference = [&](auto change) {
    JobDescription now = description();
    change(now);
    return now.difference_from(before);
  };
  EXPECT_EQ(difference([](auto& job) { job.command = "merge"; }), "the command was index and is merge");
  EXPECT_EQ(difference([](auto& job) { job.release = "2"; }), "the version of Spillway was 1.2.3 and is 2");
  EXPECT_EQ(difference([](auto& job) { job.content.positions = true; }), "--positions was no and is yes");
  EXPECT_EQ(difference([](auto& job) { job.options[1].second = "2/2"; }), "--part was 1/2 and is 2/2");
  EXPECT_EQ(difference([](auto& job) { job.inputs.add({"x", "new"}, 1); }), "the number of inputs was 2 and is 3");
  JobDescription other;
  other.command = before.command;
  other.release = before.release;
  other.content = before.content;
  other.options = before.options;
  other.inputs.add({"13 bytes, modified at 7 ns", before.inputs.listed()[0].path}, 13);
  EXPECT_NE(other.difference_from(before).find("was 12 bytes, modified at 7 ns and is 13 bytes"), std::string::npos);
}

TEST(JobDescriptions, CoverInputsThatTheyDoNotList) {
  JobDescription one, other;
  for (std::size_t i = 0; i <= DescribedInputs::kListed; ++i) {
    one.inputs.add({"1 bytes", std::to_string(i)}, 1);
    other.inputs.add({i == DescribedInputs::kListed ? "2 bytes" : "1 bytes", std::to_string(i)}, 1);
  }
  EXPECT_EQ(one.inputs.listed().size(), DescribedInputs::kListed);
  EXPECT_NE(one.difference_from(other).find("after the first 1000"), std::string::npos);
}

TEST(Commits, AreReadAsTheyWereWritten) {
  const Commit read = Commit::parse(commit().serialize(), "x");
  EXPECT_EQ(read.serialize(), commit().serialize());
  EXPECT_EQ(read.ledger.position, commit().ledger.position);
  EXPECT_EQ(read.ledger.skipped, commit().ledger.skipped);
  EXPECT_EQ(read.ledger.examples[0].detail, commit().ledger.examples[0].detail);
  EXPECT_EQ(read.sources, commit().sources);
  EXPECT_TRUE(read.sources[1].is_input());
}

TEST(Commits, RefuseEveryDamage) { expect_all_damage_refused(commit().serialize(), read_commit); }

// A file with the right hash, but with other lines, is another version's.
TEST(Commits, RefuseOtherLines) {
  for (const char* name : {"numbers", "job"}) {
    SealedTextWriter to("Spillway commit of a resumable job, format 1");
    to.line(name).number(1);
    expect_refused(to.seal(), read_commit, name);
  }
}

TEST(Ledgers, KeepTheFirstExamplesOfEachReason) {
  Ledger ledger;
  for (std::uint64_t i = 0; i < 5; ++i) {
    Ledger task;
    task.position = {0, i, 0, i + 1};
    task.documents = 10;
    task.skip(SkipReason::kBadJson, {"p", i}, "d");
    ledger.append(task);
  }
  EXPECT_EQ(ledger.documents, 50U);
  EXPECT_EQ(ledger.position.task, 5U);
  EXPECT_EQ(ledger.skipped[static_cast<std::size_t>(SkipReason::kBadJson)], 5U);
  ASSERT_EQ(ledger.examples.size(), 3U);
  EXPECT_EQ(ledger.examples[2].offset, 2U);
}

}  // namespace
}  // namespace spillway
