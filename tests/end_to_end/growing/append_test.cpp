// `spillway append` against one `index` job over the old input and the new: the same bytes, the same counts, and a
// decision for ids that the index has already.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/end_to_end/growing/growing.hpp"
#include "tests/support/places.hpp"

namespace spillway {
namespace {

using nlohmann::json;
using testing::bytes_of;
using testing::Documents;
using testing::jsonl_of;
using testing::part_of;
using testing::ProgramResult;
using testing::same_index;
using testing::write_bytes;
namespace fs = std::filesystem;

class Append : public testing::Growing {};

std::vector<ContentOptions> content_kinds() {
  std::vector<ContentOptions> kinds(4);
  kinds[1].tokenizer = Tokenizer::kAscii;
  kinds[1].store = StorePolicy::kNone;
  kinds[1].duplicate_ids = DuplicateIds::kKeep;
  kinds[2].positions = true;
  kinds[2].duplicate_ids = DuplicateIds::kFail;
  kinds[3].store = StorePolicy::kText;
  kinds[3].positions = true;
  kinds[3].stemmer = "english";
  kinds[3].stop_words = "the\n";
  return kinds;
}

std::uint64_t skipped_for(const IndexReport& report, SkipReason reason) {
  for (const auto& [skipped, count] : report.skipped) {
    if (skipped == reason) return count;
  }
  return 0;
}

TEST_F(Append, GivesTheBytesOfOneJobAndOfAMerge) {
  const std::vector<ContentOptions> kinds = content_kinds();
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    const ContentOptions& kind = kinds[seed % kinds.size()];
    const std::size_t count = 20 + seed * 20, cut = seed == 0 ? 0 : seed == 1 ? count : count * seed / 9;
    const Documents all = documents(seed, count);
    const std::string old_part = jsonl_of(part_of(all, 0, cut)), new_part = jsonl_of(part_of(all, cut, count));
    const auto expected = bytes_of(index("whole", old_part + new_part, kind));
    const std::string grown = index("grown", old_part, kind);
    const IndexReport report = append(grown, new_part, kind);
    EXPECT_TRUE(same_index(expected, grown));
    EXPECT_EQ(report.documents, count - cut);
    EXPECT_EQ(report.documents_before, cut);
    EXPECT_EQ(report.index_documents, count);
    MergeOptions merge;
    merge.inputs = {index("old", old_part, kind), index("new", new_part, kind)};
    merge.output = scratch_ / "merged";
    testing::run_merge_job(merge);
    EXPECT_TRUE(same_index(expected, merge.output));
    testing::expect_equals_oracle(grown, all, kind);
    for (const char* made : {"whole", "grown", "old", "new", "merged"}) fs::remove_all(scratch_ / made);
  }
}

TEST_F(Append, NumbersLinesOn) {
  const Documents all = testing::as_lines(documents(3, 90));
  const std::string old_part = testing::lines_of(part_of(all, 0, 40)),
                    new_part = testing::lines_of(part_of(all, 40, 90));
  const auto expected = bytes_of(index("whole", old_part + new_part, {}, CorpusFormat::kLines));
  const std::string grown = index("grown", old_part, {}, CorpusFormat::kLines);
  append(grown, new_part, {}, KnownIds::kReplace, CorpusFormat::kLines);
  EXPECT_TRUE(same_index(expected, grown));
}

// What the index has dropped before has numbers in its source.
TEST_F(Append, KeepsWhatTheIndexHasDropped) {
  Documents all = documents(4, 60);
  for (std::size_t i = 5; i < 30; i += 3) all[i].id = all[i - 5].id;
  for (std::size_t i = 45; i < 60; i += 4) all[i].id = all[40].id;
  const std::string old_part = jsonl_of(part_of(all, 0, 30)), new_part = jsonl_of(part_of(all, 30, 60));
  const auto expected = bytes_of(index("whole", old_part + new_part, {}));
  const std::string grown = index("grown", old_part, {});
  const IndexReport report = append(grown, new_part, {});
  EXPECT_TRUE(same_index(expected, grown));
  EXPECT_EQ(skipped_for(report, SkipReason::kDuplicateId), 4U);
  EXPECT_EQ(report.documents, 26U);
  EXPECT_EQ(report.records_in, 30U);
}

TEST_F(Append, SkipsKnownIdsIfAsked) {
  for (const ContentOptions& kind : {ContentOptions{}, content_kinds()[3]}) {
    Documents all = documents(5, 80);
    for (std::size_t i = 40; i < 80; i += 2) all[i].id = all[i - 40].id;
    const std::string old_part = jsonl_of(part_of(all, 0, 40)), new_part = jsonl_of(part_of(all, 40, 80));
    const auto expected = bytes_of(index("whole", old_part + new_part, kind));
    const std::string grown = index("grown", old_part, kind);
    const IndexReport report = append(grown, new_part, kind, KnownIds::kSkip);
    EXPECT_TRUE(same_index(expected, grown));
    EXPECT_EQ(skipped_for(report, SkipReason::kKnownId), 20U);
    EXPECT_EQ(report.documents, 20U);
    EXPECT_EQ(report.records_in, 40U);
    EXPECT_EQ(report.index_documents, 60U);
    for (const char* made : {"whole", "grown"}) fs::remove_all(scratch_ / made);
  }
}

TEST_F(Append, SkipsKnownIdsOfAnIndexThatKeepsDuplicates) {
  ContentOptions kind;
  kind.duplicate_ids = DuplicateIds::kKeep;
  const std::string grown = index("grown", R"({"id":"a","text":"one"}
{"id":"a","text":"two"}
)",
                                  kind);
  const std::string more = R"({"id":"b","text":"three"}
{"id":"a","text":"four"}
{"id":"b","text":"five"}
)";
  const std::string skipping = copy(grown, "skipping");
  append(skipping, more, kind, KnownIds::kSkip);
  testing::expect_equals_oracle(
      skipping,
      {{"a", "", "", "", "one"}, {"a", "", "", "", "two"}, {"b", "", "", "", "three"}, {"b", "", "", "", "five"}},
      kind);
  EXPECT_EQ(append(grown, more, kind).index_documents, 5U);
}

TEST_F(Append, ReplacesKnownIdsIfAsked) {
  const std::vector<ContentOptions> kinds = content_kinds();
  for (const ContentOptions& kind : {kinds[0], kinds[2], kinds[3]}) {
    Documents all = documents(6, 100);
    std::string ids;
    for (std::size_t i = 0; i < 50; i += 3) {
      all[i + 50].id = all[i].id;
      ids += all[i].id + "\n";
    }
    const std::string old_part = jsonl_of(part_of(all, 0, 50)), new_part = jsonl_of(part_of(all, 50, 100));
    const std::string grown = index("grown", old_part, kind);
    const std::string old_copy = copy(grown, "old");
    const IndexReport report = append(grown, new_part, kind, KnownIds::kReplace);
    EXPECT_EQ(report.replaced_documents, 17U);
    EXPECT_EQ(report.documents, 50U);
    EXPECT_EQ(report.records_in, 50U);
    EXPECT_EQ(report.index_documents, 83U);
    write_bytes(scratch_ / "ids", ids);
    MergeOptions drop;
    drop.inputs = {old_copy};
    drop.output = scratch_ / "dropped";
    drop.drop_ids.files = {scratch_ / "ids"};
    testing::run_merge_job(drop);
    MergeOptions merge;
    merge.inputs = {drop.output, index("new", new_part, kind)};
    merge.output = scratch_ / "merged";
    testing::run_merge_job(merge);
    EXPECT_TRUE(same_index(bytes_of(merge.output), grown));
    Documents left;
    for (std::size_t i = 0; i < 100; ++i) {
      if (i >= 50 || i % 3 != 0) left.push_back(all[i]);
    }
    testing::expect_equals_oracle(grown, left, kind);
    // Again: each new document replaces itself.
    EXPECT_EQ(append(grown, new_part, kind, KnownIds::kReplace).replaced_documents, 50U);
    for (const char* made : {"grown", "old", "dropped", "new", "merged"}) fs::remove_all(scratch_ / made);
  }
}

// A page that was fetched again has another id. All old pages with its URL go, and no others.
TEST_F(Append, ReplacesKnownUrlsIfAsked) {
  Documents all = documents(13, 60);
  for (std::size_t i = 0; i < 60; ++i) all[i].url = "https://example.org/" + std::to_string(i % 2 == 0 ? i % 14 : i);
  all[7].url = all[9].url = all[41].url = "";
  all[50].id = all[2].id;  // one of those that go for their URL
  const std::string old_part = jsonl_of(part_of(all, 0, 30));
  write_bytes(scratch_ / "new.jsonl", jsonl_of(part_of(all, 30, 60)));
  std::string ids;
  Documents left;
  for (std::size_t i = 0; i < 60; ++i) {
    if (i < 30 && i % 2 == 0) {
      ids += all[i].id + "\n";
    } else {
      left.push_back(all[i]);
    }
  }
  const std::string grown = index("grown", old_part, {});
  const std::string old_copy = copy(grown, "old");
  for (const char* threads : {"1", "3"}) {
    copy(old_copy, "grown");
    expect_done({"append", grown, scratch_ / "new.jsonl", "--replace-url", "--threads", threads, "--json",
                 scratch_ / "report.json", "--force", "-q"});
    EXPECT_EQ(report().at("replaced_documents"), 15);
    EXPECT_EQ(report().at("documents"), 30);
    EXPECT_EQ(report().at("index_documents"), 45);
    testing::expect_equals_oracle(grown, left, {});
  }
  write_bytes(scratch_ / "ids", ids);
  expect_done({"delete", old_copy, "--id", "@" + (scratch_ / "ids"), "-q"});
  expect_done({"append", old_copy, scratch_ / "new.jsonl", "-q"});
  EXPECT_TRUE(same_index(bytes_of(old_copy), grown));
  ContentOptions bare;
  bare.store = StorePolicy::kNone;
  expect_refused({"append", index("bare", old_part, bare), scratch_ / "new.jsonl", "--replace-url"}, 2,
                 {"stores none"});
}

TEST_F(Append, RefusesKnownIdsByDefault) {
  const std::string old_part = jsonl_of(documents(7, 20));
  const std::string grown = index("grown", old_part, {});
  const Documents known = documents(7, 20);
  write_bytes(scratch_ / "known.jsonl", R"({"id":"new","text":"x"})"
                                        "\n" +
                                            jsonl_of(part_of(known, 3, 4)));
  expect_refused({"append", grown, scratch_ / "known.jsonl"}, 3,
                 {"1 document has an id", "\"" + known[3].id + "\" (document 2 of the input)", "--replace",
                  "--skip-known", "unchanged"});
  write_bytes(scratch_ / "known.jsonl", old_part);
  expect_refused({"append", grown, scratch_ / "known.jsonl", "--json", scratch_ / "report.json"}, 3,
                 {"20 documents have ids", "and 15 more; give"});
  EXPECT_EQ(report().at("exit_code"), 3);
  EXPECT_EQ(report().at("command"), "append");
}

TEST_F(Append, RefusesOptionsOfAnotherIndexByName) {
  ContentOptions kind;
  kind.stemmer = "english";
  const std::string grown = index("grown", jsonl_of(documents(8, 10)), kind);
  const std::string more = scratch_ / "more.jsonl";
  write_bytes(more, R"({"id":"more","text":"running stones"})"
                    "\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> others{
      {{"--stem", "porter"}, "--stem is english in " + grown + ", and porter was given"},
      {{"--tokenizer", "ascii"}, "--tokenizer is unicode"},
      {{"--stop", "english"}, "--stop is none"},
      {{"--positions"}, "--positions is no"},
      {{"--store", "text"}, "--store is meta"},
      {{"--duplicate-ids", "keep"}, "--duplicate-ids is first"},
      {{"--max-term-bytes", "20"}, "--max-term-bytes is 255"},
      {{"--max-document-bytes", "1M"}, "--max-document-bytes is 67108864"}};
  for (const auto& [options, words] : others) {
    std::vector<std::string> job{"append", grown, more};
    job.insert(job.end(), options.begin(), options.end());
    expect_refused(job, 2, {words, "Leave out what differs"});
  }
  expect_refused({"append", grown, more, "--replace", "--skip-known"}, 2, {"contradict"});
  expect_done({"append", grown, more, "--stem", "english", "--store", "meta", "--stop", "none", "-q"});
  EXPECT_EQ(IndexReader(posix_file_system(), grown).find_documents("more").size(), 1U);
  EXPECT_TRUE(IndexReader(posix_file_system(), grown).find_term("run")) << "the options of the index hold";
}

TEST_F(Append, RefusesWhatIsNoWholeIndex) {
  const std::string more = scratch_ / "more.jsonl", there = index("there", jsonl_of(documents(8, 10)), {});
  write_bytes(more, jsonl_of(documents(9, 10)));
  const ProgramResult missing = testing::run_spillway({"append", scratch_ / "nothing", more});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("spillway index INPUT... -o"), std::string::npos) << missing.err;
  EXPECT_FALSE(fs::exists(scratch_ / "nothing"));
  EXPECT_FALSE(fs::exists(scratch_ / "nothing.work"));
  EXPECT_EQ(testing::run_spillway({"append", more, more}).exit_code, 5);
  expect_refused({"append", there, there + "/terms"}, 2, {"inside the output"});
  expect_refused({"append", there}, 2, {"an argument is missing"});
  ContentOptions keep;
  keep.duplicate_ids = DuplicateIds::kKeep;
  expect_refused({"append", index("keep", jsonl_of(documents(8, 10)), keep), more, "--replace"}, 2,
                 {"--duplicate-ids keep"});
  fs::resize_file(there + "/documents", fs::file_size(there + "/documents") - 1);
  expect_refused({"append", there, more}, 5, {"documents"});
}

TEST_F(Append, TakesAnEmptyInputAndAnEmptyIndex) {
  const std::string old_part = jsonl_of(documents(10, 10));
  const std::string grown = index("grown", old_part, {});
  const auto before = bytes_of(grown);
  EXPECT_EQ(append(grown, "", {}).index_documents, 10U);
  EXPECT_TRUE(same_index(before, grown));
  const std::string empty = index("empty", "", {});
  EXPECT_EQ(append(empty, old_part, {}).index_documents, 10U);
  EXPECT_TRUE(same_index(before, empty));
}

TEST_F(Append, AddsDayByDayToWhatALinkNames) {
  const Documents all = documents(11, 60);
  const auto expected = bytes_of(index("whole", jsonl_of(all), {}));
  const std::string crawl = index("crawl", jsonl_of(part_of(all, 0, 12)), {});
  fs::create_directory_symlink(crawl, scratch_ / "link");
  for (std::size_t day = 1; day < 5; ++day) {
    const ProgramResult result = expect_done({"append", scratch_ / "link", "-", "--format", "jsonl"},
                                             {.input = jsonl_of(part_of(all, day * 12, day * 12 + 12))});
    EXPECT_NE(result.err.find("added 12 documents to"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("from " + std::to_string(day * 12) + " documents to " + std::to_string(day * 12 + 12)),
              std::string::npos)
        << result.err;
  }
  EXPECT_TRUE(same_index(expected, crawl));
  EXPECT_TRUE(fs::is_symlink(scratch_ / "link"));
  EXPECT_FALSE(fs::exists(crawl + ".work"));
}

// With few descriptors and little memory runs are merged in passes, the index with them.
TEST_F(Append, GivesTheSameBytesInPasses) {
  Documents all = documents(12, 900);
  for (std::size_t i = 400; i < 900; i += 7) all[i].id = all[i - 400].id;
  const auto expected = bytes_of(index("whole", jsonl_of(all), {}));
  const std::string grown = index("grown", jsonl_of(part_of(all, 0, 400)), {});
  write_bytes(scratch_ / "more.jsonl", jsonl_of(part_of(all, 400, 900)));
  expect_done(
      {"append", grown, scratch_ / "more.jsonl", "--memory", testing::kSmallMemory, "--threads", "2", "--block-bytes",
       "1500", "--max-error-rate", "1", "--skip-known", "--json", scratch_ / "report.json", "-q"},
      {.limits = {{RLIMIT_NOFILE, 66}}});
  EXPECT_TRUE(same_index(expected, grown));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_GT(report().at("merge_passes"), 1);
#endif
}

// The bundled crawl, and the same crawl again: every record is accounted for, and the ledger names each that is not
// added.
TEST_F(Append, KeepsALedger) {
  const std::string crawl = testing::source_directory() + "/sample/crawl.warc.gz", grown = scratch_ / "grown";
  expect_done({"index", crawl, "-o", grown, "--max-error-rate", "0.05", "-q"});
  expect_refused({"append", grown, crawl, "--max-error-rate", "0.05"}, 3, {"7 documents have ids"});
  expect_done({"append", grown, crawl, "--max-error-rate", "0.05", "--skip-known", "--skipped", scratch_ / "skipped",
               "--json", scratch_ / "report.json"});
  const json made = report();
  EXPECT_EQ(made.at("records_in"), 24);
  EXPECT_EQ(made.at("documents"), 0);
  EXPECT_EQ(made.at("skipped_records"), 24);
  EXPECT_EQ(made.at("skipped").at("known_id"), 7);
  EXPECT_EQ(made.at("documents_before"), 7);
  EXPECT_EQ(made.at("index_documents"), 7);
  std::istringstream lines(testing::read_bytes(scratch_ / "skipped"));
  std::size_t known = 0, count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json record = json::parse(line);
    if (record.at("reason") != "known_id") continue;
    ++known;
    EXPECT_LT(record.at("document"), 7);
    EXPECT_EQ(record.at("detail"), "a document of the index has the same id");
    EXPECT_TRUE(record.at("id").get<std::string>().starts_with("urn:uuid:"));
  }
  EXPECT_EQ(count, 24U);
  EXPECT_EQ(known, 7U);
  expect_done({"append", grown, crawl, "--max-error-rate", "0.05", "--replace", "--json", scratch_ / "report.json",
               "--force", "-q"});
  EXPECT_EQ(report().at("documents"), 7);
  EXPECT_EQ(report().at("replaced_documents"), 7);
  EXPECT_EQ(report().at("index_documents"), 7);
  expect_done({"verify", grown});
}

}  // namespace
}  // namespace spillway
