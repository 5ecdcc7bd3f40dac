// WACZ: the archives in a zip file are read as if they were files.
#include "corpora/unpack/zip_file.hpp"

#include <algorithm>
#include <filesystem>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"
#include "tests/corpora/records/warc_samples.hpp"
#include "tests/corpora/unpack/zip_files.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

std::string pages(int first, int count) {
  std::string bytes;
  for (int i = first; i < first + count; ++i) {
    bytes += gzip_member(archived_page("urn:" + std::to_string(i), "<p>page number " + std::to_string(i)));
  }
  return bytes;
}

std::vector<ZipEntry> crawl() {
  return {{"datapackage.json", "{}", true},
          {"archive/a.warc.gz", pages(0, 20)},
          {"archive/b.warc", archived_page("urn:20", "<p>plain"), true},
          {"archive/c.warc.zst", zstd_frame(archived_page("urn:21", "<p>zstd"))},
          {"indexes/index.cdx.gz", gzip_member("no archive")},
          {"pages/pages.jsonl", "{\"id\":\"x\",\"text\":\"y\"}\n"}};
}

TEST(Wacz, IsReadAsItsArchives) {
  const auto result = read_bytes(zip_of(crawl()));
  ASSERT_EQ(result.documents.size(), 22u);
  EXPECT_TRUE(result.skips.empty());
  for (std::size_t i = 0; i < 22; ++i) EXPECT_EQ(result.documents[i].id, "urn:" + std::to_string(i));
  EXPECT_TRUE(result.documents[0].path.ends_with("/archive/a.warc.gz"));
  expect_same_documents(read_bytes(zip_of(crawl()), setup_of(CorpusFormat::kAuto, 3000, 3)), result);
}

TEST(Wacz, AnotherZipFileIsBinary) {
  EXPECT_EQ(read_bytes(zip_of({{"word/document.xml", "<xml/>"}})).reasons(), std::vector{SkipReason::kBinary});
}

TEST(Wacz, LosesTheEntryThatIsDamaged) {
  std::vector<ZipEntry> entries = crawl();
  std::string bytes = zip_of(entries);
  bytes[bytes.find(entries[1].bytes) + entries[1].bytes.size() / 2] ^= 1;
  const auto result = read_bytes(bytes);
  EXPECT_GE(result.documents.size(), 20u);
  EXPECT_EQ(result.documents.back().id, "urn:21");
  const auto reasons = result.reasons();
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), SkipReason::kZipCorrupt), 1);
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), SkipReason::kGzipCorrupt), 1);
}

TEST(Wacz, WithoutADirectoryIsCorrupt) {
  const std::string bytes = zip_of(crawl());
  for (const std::size_t kept : {bytes.size() - 1, bytes.size() - 30, std::size_t{1000}, std::size_t{30}}) {
    const auto result = read_bytes(bytes.substr(0, kept));
    EXPECT_TRUE(result.documents.empty());
    EXPECT_EQ(result.reasons(), std::vector{SkipReason::kZipCorrupt}) << kept;
  }
}

TEST(Wacz, WithAnyByteChangedIsReadOrReported) {
  const std::string bytes = zip_of({{"archive/a.warc.gz", pages(0, 2)}, {"archive/b.warc", pages(2, 1), true}});
  const auto expected = read_bytes(bytes);
  ASSERT_EQ(expected.documents.size(), 3u);
  for (std::size_t at = 4; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] ^= 0x5A;
    const auto result = read_bytes(changed);
    if (result.skips.empty() && result.documents.size() < 3) {
      // Only an entry that is no archive by its name any more may vanish.
      EXPECT_NE(changed.find("archive/a.warc.gz") == bytes.find("archive/a.warc.gz") &&
                    changed.rfind("archive/b.warc") == bytes.rfind("archive/b.warc") &&
                    changed.rfind("archive/a.warc.gz") == bytes.rfind("archive/a.warc.gz"),
                true)
          << at;
    }
  }
}

TEST(Wacz, WithADirectoryThatDoesNotFitIsRefused) {
  std::string bytes = zip_of(crawl());
  const std::size_t end = bytes.rfind("PK\5\6");
  const std::uint32_t huge = 0x7FFFFFFF;
  bytes.replace(end + 12, 4, reinterpret_cast<const char*>(&huge), 4);
  EXPECT_EQ(read_bytes(bytes).reasons(), std::vector{SkipReason::kZipCorrupt}) << "longer than the file";
  MemoryBudget small(1000);
  const std::string path = shared_directory() / "wide.zip";
  std::vector<ZipEntry> entries = crawl();
  while (entries.size() < 1000) entries.push_back({"pages/" + std::to_string(entries.size()), ""});
  write_bytes(path, zip_of(entries));
  EXPECT_THROW(ZipFile(posix_file_system().open(path), std::filesystem::file_size(path), small), BudgetError);
}

}  // namespace
}  // namespace spillway
