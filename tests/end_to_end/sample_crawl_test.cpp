// The bundled crawl: docs/crawls.md shows what this checks.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ProgramResult;
using testing::run_spillway;

TEST(SampleCrawl, IsIndexedAsTheDocumentationShows) {
  const testing::ScratchDirectory scratch;
  const std::string crawl = std::string(SPILLWAY_SOURCE_DIR) + "/sample/crawl.warc.gz", index = scratch / "index";
  EXPECT_EQ(run_spillway({"index", crawl, "-o", index}).exit_code, 3);
  const ProgramResult made = run_spillway({"index", crawl, "-o", index, "--max-error-rate", "0.05"});
  EXPECT_EQ(made.exit_code, 0);
  std::ifstream file(std::string(SPILLWAY_SOURCE_DIR) + "/docs/crawls.md");
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
}

TEST(SampleCrawl, SinceLeavesOutOlderRecords) {
  const testing::ScratchDirectory scratch;
  const std::string crawl = std::string(SPILLWAY_SOURCE_DIR) + "/sample/crawl.warc.gz", index = scratch / "index";
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
  const std::string crawl = std::string(SPILLWAY_SOURCE_DIR) + "/sample/crawl.warc.gz", index = scratch / "index";
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
