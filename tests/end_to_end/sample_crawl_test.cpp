// The bundled crawl: docs/crawls.md shows what this checks.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_spillway;

TEST(SampleCrawl, IsIndexedAsTheDocumentationShows) {
  const testing::ScratchDirectory scratch;
  const std::string crawl = testing::source_directory() + "/sample/crawl.warc.gz", index = scratch / "index";
  EXPECT_EQ(run_spillway({"index", crawl, "-o", index}).exit_code, 3);
  const ProgramResult made = run_spillway({"index", crawl, "-o", index, "--max-error-rate", "0.05"});
  EXPECT_EQ(made.exit_code, 0);
  std::ifstream file(testing::source_directory() + "/docs/crawls.md");
  std::ostringstream page;
  page << file.rdbuf();
  for (const char* const words :
       {"24 records: 7 indexed, 17 skipped", "skipped 12 as record_type", "skipped 2 as http_status"}) {
    EXPECT_NE(made.err.find(words), std::string::npos) << made.err;
    EXPECT_NE(page.str().find(words), std::string::npos) << words;
  }
  for (const char* const query : {"run", "水"}) {
    const std::string hits = run_spillway({"search", index, query}).out;
    EXPECT_FALSE(hits.empty());
    EXPECT_NE(page.str().find("crawl.index " + std::string(query) + "\n" + hits), std::string::npos) << hits;
  }
  const std::string deleted = run_spillway({"delete", index, "--url", "https://spillway.example/runs"}).err;
  const std::string refused = run_spillway({"append", index, crawl, "--max-error-rate", "0.05"}).err;
  const std::string added = run_spillway({"append", index, crawl, "--max-error-rate", "0.05", "--skip-known"}).err;
  for (const auto& [shown, words] : {std::pair<const std::string&, const char*>(deleted, "deleted 1 document from"),
                                     {deleted, "6 documents, 92 terms, 99 postings, 131 tokens"},
                                     {refused, "6 documents have ids that are in the index already"},
                                     {refused, "and 1 more; give --replace"},
                                     {added, "added 1 document to"},
                                     {added, "24 records: 1 indexed, 23 skipped, 0 repaired"},
                                     {added, "from 6 documents to 7, 0 of the old ones replaced"},
                                     {added, "skipped 6 as known_id"}}) {
    EXPECT_NE(shown.find(words), std::string::npos) << shown;
    EXPECT_NE(page.str().find(words), std::string::npos) << words;
  }
}

TEST(SampleCrawl, HasAPageThatHadNotChanged) {
  const testing::ScratchDirectory scratch;
  const std::string crawl = testing::source_directory() + "/sample/crawl.warc.gz", index = scratch / "index";
  const ProgramResult made =
      run_spillway({"index", crawl, "-o", index, "--max-error-rate", "0.05", "--revisits", "follow"});
  EXPECT_EQ(made.exit_code, 0);
  EXPECT_NE(made.err.find("24 records: 8 indexed, 16 skipped"), std::string::npos) << made.err;
  std::ifstream file(testing::source_directory() + "/docs/crawls.md");
  std::ostringstream page;
  page << file.rdbuf();
  const std::string hits = run_spillway({"search", index, "run"}).out;
  EXPECT_NE(page.str().find("followed.index run\n" + hits), std::string::npos) << hits;
}

TEST(SampleCrawl, SinceLeavesOutOlderRecords) {
  const testing::ScratchDirectory scratch;
  const std::string crawl = testing::source_directory() + "/sample/crawl.warc.gz", index = scratch / "index";
  const ProgramResult made =
      run_spillway({"index", crawl, "-o", index, "--max-error-rate", "0.05", "--since", "2026-03-02"});
  EXPECT_EQ(made.exit_code, 0);
  for (const char* const words : {"24 records: 4 indexed, 20 skipped", "skipped 3 as before_since"}) {
    EXPECT_NE(made.err.find(words), std::string::npos) << made.err;
  }
}

// The same file under two names.
TEST(SampleCrawl, DedupLeavesOutPagesThatWereCrawledTwice) {
  const testing::ScratchDirectory scratch;
  const std::string crawl = testing::source_directory() + "/sample/crawl.warc.gz", index = scratch / "index";
  std::filesystem::copy_file(crawl, scratch / "again.warc.gz");
  const ProgramResult made = run_spillway({"index", crawl, scratch / "again.warc.gz", "-o", index, "--max-error-rate",
                                           "0.05", "--duplicate-ids", "fail", "--dedup", "url"});
  EXPECT_EQ(made.exit_code, 0);
  for (const char* const words : {"48 records: 7 indexed, 41 skipped", "skipped 7 as duplicate_url",
                                  "URL https://spillway.example/runs is that of document 1"}) {
    EXPECT_NE(made.err.find(words), std::string::npos) << made.err;
  }
}

}  // namespace
}  // namespace spillway
