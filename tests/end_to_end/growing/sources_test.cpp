// `append` with what chooses among the records of its input: --dedup, --since and --skip-known, and archives as input.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/tar/tar_files.hpp"
#include "tests/end_to_end/growing/growing.hpp"
#include "tests/support/places.hpp"

namespace spillway {
namespace {

using testing::bytes_of;
using testing::Documents;
using testing::jsonl_of;
using testing::part_of;
using testing::same_index;
using testing::tar_member;
using testing::write_bytes;
namespace fs = std::filesystem;

class AppendDedup : public testing::Growing {
 protected:
  AppendDedup() {
    texts_.store = StorePolicy::kText;
    texts_.positions = true;
  }
  // Indexes the documents, or adds them to the index with this name.
  IndexReport add(const std::string& name, const Documents& documents, Dedup dedup,
                  std::optional<KnownIds> append = std::nullopt) {
    write_bytes(scratch_ / "added.in", jsonl_of(documents));
    IndexOptions job = testing::index_job({scratch_ / "added.in"}, scratch_ / name);
    job.content = texts_;
    job.corpus.format = CorpusFormat::kJsonl;
    job.block_bytes = 3000;
    job.dedup = dedup;
    job.append = append;
    job.force = append.has_value();
    return testing::run_job(job);
  }
  // Half of the documents have the URL, the title or the text of another, or both of the latter.
  static Documents repeating(std::uint64_t seed, std::size_t count) {
    Documents all = documents(seed, count);
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      all[i].url = random() % 2 == 0 ? "" : "http://host/" + std::to_string(random() % count / 2);
      const auto& other = all[random() % (i + 1)];
      if (random() % 3 == 0) all[i].title = other.title;
      if (random() % 3 == 0) all[i].text = other.text;
    }
    return all;
  }

  ContentOptions texts_;
};

std::uint64_t skipped_for(const IndexReport& report, SkipReason reason) {
  for (const auto& [skipped, count] : report.skipped) {
    if (skipped == reason) return count;
  }
  return 0;
}

// Every record of both inputs is in the index or skipped for a reason.
TEST_F(AppendDedup, GivesTheBytesOfOneJob) {
  for (const Dedup dedup : {Dedup::kExact, Dedup::kUrl}) {
    const SkipReason reason = dedup == Dedup::kUrl ? SkipReason::kDuplicateUrl : SkipReason::kDuplicateText;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(seed);
      const std::size_t count = 60 + seed * 40, cut = count * (seed + 1) / 5;
      const Documents all = repeating(seed, count);
      const IndexReport whole = add("whole", all, dedup);
      const IndexReport before = add("grown", part_of(all, 0, cut), dedup);
      const IndexReport after = add("grown", part_of(all, cut, count), dedup, KnownIds::kRefuse);
      EXPECT_TRUE(same_index(bytes_of(scratch_ / "whole"), scratch_ / "grown"));
      EXPECT_EQ(before.records_in + after.records_in, count);
      EXPECT_EQ(skipped_for(before, reason) + skipped_for(after, reason), skipped_for(whole, reason));
      EXPECT_EQ(after.documents + skipped_for(after, reason), after.records_in);
      EXPECT_EQ(after.documents_before, before.documents);
      EXPECT_EQ(after.index_documents, before.documents + after.documents);
      for (const char* made : {"whole", "grown"}) fs::remove_all(scratch_ / made);
    }
  }
}

// The documents of the index stay, also those that repeat each other.
TEST_F(AppendDedup, LeavesTheIndexAsItIs) {
  const Documents all = repeating(7, 120);
  const IndexReport before = add("grown", part_of(all, 0, 60), Dedup::kNone);
  EXPECT_EQ(before.documents, 60U);
  Documents more = part_of(all, 60, 120);
  for (std::size_t i = 0; i < 60; i += 4) {
    more[i].title = all[i].title;
    more[i].text = all[i].text;
  }
  const IndexReport after = add("grown", more, Dedup::kExact, KnownIds::kRefuse);
  EXPECT_GE(skipped_for(after, SkipReason::kDuplicateText), 15U);
  EXPECT_EQ(after.index_documents, 60 + after.documents);
  const IndexReader index(posix_file_system(), scratch_ / "grown");
  for (std::uint32_t i = 0; i < 60; ++i) EXPECT_EQ(index.document(i).id, all[i].id);
  verify_index(index);
}

TEST_F(AppendDedup, NamesTheDocumentOfTheIndex) {
  const Documents old{{"1", "", "u", "", "words"}, {"2", "", "u", "", "words"}};
  const Documents more{{"3", "", "v", "", "one"}, {"4", "", "u", "", "two"}, {"5", "", "v", "", "one"}};
  for (const Dedup dedup : {Dedup::kUrl, Dedup::kExact}) {
    add("grown", old, Dedup::kNone);
    const IndexReport report = add("grown", more, dedup, KnownIds::kRefuse);
    const bool is_url = dedup == Dedup::kUrl;
    ASSERT_EQ(report.examples.size(), is_url ? 2U : 1U);
    EXPECT_EQ(report.examples.back().detail,
              is_url ? "URL v is that of document 0" : "title and text are those of document 0");
    EXPECT_EQ(report.examples.back().path, "document 2");
    if (is_url) {
      EXPECT_EQ(report.examples[0].detail, "URL u is that of a document of the index");
    }
    fs::remove_all(scratch_ / "grown");
  }
}

// A title that is too long for a field begins the text; a deleted text is one that the index does not have.
TEST_F(AppendDedup, ComparesWhatTheIndexHas) {
  const std::string title(70000, 't');
  const Documents old{
      {"1", title, "", "", "a"}, {"2", "b", "", "", ""}, {"3", "", "", "", "c"}, {"4", "d", "", "", "e"}};
  add("grown", old, Dedup::kNone);
  expect_done({"delete", scratch_ / "grown", "--id", "3", "-q"});
  Documents again = old;
  for (auto& document : again) document.id += "-again";
  again.push_back({"other", "de", "", "", ""});
  const IndexReport report = add("grown", again, Dedup::kExact, KnownIds::kRefuse);
  EXPECT_EQ(skipped_for(report, SkipReason::kDuplicateText), 3U);
  const IndexReader index(posix_file_system(), scratch_ / "grown");
  std::vector<std::string> ids;
  for (std::uint32_t i = 0; i < index.counts().documents; ++i) ids.emplace_back(index.document(i).id);
  EXPECT_EQ(ids, (std::vector<std::string>{"1", "2", "4", "3-again", "other"}));
  verify_index(index);
}

TEST_F(AppendDedup, IsRefusedWhereItCannotBeDone) {
  const std::string more = scratch_ / "more.jsonl";
  write_bytes(more, jsonl_of(documents(9, 5)));
  const std::string grown = index("grown", jsonl_of(documents(8, 5)), {});
  expect_refused({"append", grown, more, "--dedup", "exact"}, 2, {"--store text", "--dedup url"});
  expect_refused({"append", grown, more, "--dedup", "url", "--replace"}, 2, {"--replace-url"});
  ContentOptions bare;
  bare.store = StorePolicy::kNone;
  expect_refused({"append", index("bare", jsonl_of(documents(8, 5)), bare), more, "--dedup", "url"}, 2,
                 {"--store none"});
}

// Old pages make way for the first new one with their URL.
TEST_F(AppendDedup, GoesWithReplacedUrls) {
  const std::string grown = index("grown", jsonl_of({{"1", "", "u", "", "old"}, {"2", "", "w", "", "old"}}), {});
  const Documents more{{"3", "", "u", "", "new"}, {"4", "", "u", "", "newer"}, {"5", "", "v", "", "new"}};
  write_bytes(scratch_ / "more.jsonl", jsonl_of(more));
  expect_done({"append", grown, scratch_ / "more.jsonl", "--dedup", "url", "--replace-url", "--json",
               scratch_ / "report.json", "-q"});
  EXPECT_EQ(report().at("replaced_documents"), 1);
  EXPECT_EQ(report().at("skipped").at("duplicate_url"), 1);
  EXPECT_EQ(report().at("index_documents"), 3);
  testing::expect_equals_oracle(grown, {{"2", "", "w", "", "old"}, more[0], more[2]}, {});
}

// With few descriptors and little memory the index is merged with runs that have hashes before texts are compared.
TEST_F(AppendDedup, GivesTheSameBytesInPasses) {
  const Documents all = repeating(12, 900);
  add("whole", all, Dedup::kExact);
  add("grown", part_of(all, 0, 400), Dedup::kExact);
  write_bytes(scratch_ / "more.jsonl", jsonl_of(part_of(all, 400, 900)));
  expect_done({"append", scratch_ / "grown", scratch_ / "more.jsonl", "--memory", testing::kSmallMemory, "--threads",
               "2", "--block-bytes", "1500", "--dedup", "exact", "--json", scratch_ / "report.json", "-q"},
              {.limits = {{RLIMIT_NOFILE, 66}}});
  EXPECT_TRUE(same_index(bytes_of(scratch_ / "whole"), scratch_ / "grown"));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_GT(report().at("merge_passes"), 1);
#endif
}

class AppendedArchives : public testing::Growing {
 protected:
  // Pages in the form of a tar file.
  static std::string tar(int first, int end) {
    std::string bytes;
    for (int i = first; i < end; ++i) {
      bytes += tar_member("site/" + std::to_string(i) + ".html",
                          "<!doctype html><title>T</title><p>page number " + std::to_string(i * 7));
    }
    return bytes + testing::tar_end();
  }
};

TEST_F(AppendedArchives, ThatAreTarFilesGiveTheIndexOfOneJob) {
  const std::string first = scratch_ / "1.tar", second = scratch_ / "2.tar.gz", grown = scratch_ / "grown";
  write_bytes(first, tar(0, 30));
  write_bytes(second, testing::gzip_member(tar(20, 50)));
  expect_done({"index", first, second, "-o", scratch_ / "whole", "--duplicate-ids", "keep", "-q"});
  expect_done({"index", first, "-o", grown, "--duplicate-ids", "keep", "-q"});
  expect_done({"append", grown, second, "-q"});
  EXPECT_TRUE(same_index(bytes_of(scratch_ / "whole"), grown));
  const std::string once = scratch_ / "once";
  expect_done({"index", first, "-o", once, "-q"});
  expect_refused({"append", once, second}, 3, {"10 documents have ids"});
  expect_done({"append", once, second, "--skip-known", "--json", scratch_ / "report.json", "-q"});
  EXPECT_EQ(report().at("skipped").at("known_id"), 10);
  EXPECT_EQ(report().at("index_documents"), 50);
}

TEST_F(AppendedArchives, ThatAreCrawlsAreTakenFromADateOn) {
  const std::string crawl = testing::source_directory() + "/sample/crawl.warc.gz", grown = index("grown", "", {});
  const std::vector<std::string> options{
      "--since", "2026-03-02", "--max-error-rate", "0.05", "--json", scratch_ / "report.json", "--force", "-q"};
  const auto with_options = [&](std::vector<std::string> words) {
    words.insert(words.end(), options.begin(), options.end());
    expect_done(words);
  };
  with_options({"index", crawl, "-o", scratch_ / "whole"});
  with_options({"append", grown, crawl});
  EXPECT_TRUE(same_index(bytes_of(scratch_ / "whole"), grown));
  EXPECT_EQ(report().at("skipped").at("before_since"), 3);
  EXPECT_EQ(report().at("records_in"), 24);
  EXPECT_EQ(report().at("documents"), 4);
  EXPECT_EQ(report().at("skipped_records"), 20);
  with_options({"append", grown, crawl, "--dedup", "url"});
  EXPECT_EQ(report().at("documents"), 0);
  EXPECT_EQ(report().at("skipped").at("duplicate_url"), 4);
}

}  // namespace
}  // namespace spillway
