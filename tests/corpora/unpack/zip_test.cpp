// WACZ: the archives in a zip file are read as if they were files.
#include "corpora/unpack/zip_file.hpp"

#include <algorithm>
#include <filesystem>

#include "corpora/reader/plan.hpp"
#include "corpora/unpack/zstd_codec.hpp"
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
  const auto result = read_input(zip_of(crawl()));
  ASSERT_EQ(result.documents.size(), 22u);
  EXPECT_TRUE(result.skips.empty());
  for (std::size_t i = 0; i < 22; ++i) EXPECT_EQ(result.documents[i].id, "urn:" + std::to_string(i));
  EXPECT_TRUE(result.documents[0].path.ends_with("/archive/a.warc.gz"));
  expect_same_documents(read_input(zip_of(crawl()), setup_of(CorpusFormat::kAuto, 3000, 3)), result);
}

TEST(Wacz, AnotherZipFileIsBinary) {
  EXPECT_EQ(read_input(zip_of({{"word/document.xml", "<xml/>"}})).reasons(), std::vector{SkipReason::kBinary});
}

TEST(Wacz, LosesTheEntryThatIsDamaged) {
  std::vector<ZipEntry> entries = crawl();
  std::string bytes = zip_of(entries);
  bytes[bytes.find(entries[1].bytes) + entries[1].bytes.size() / 2] ^= 1;
  const auto result = read_input(bytes);
  EXPECT_GE(result.documents.size(), 20u);
  EXPECT_EQ(result.documents.back().id, "urn:21");
  const auto reasons = result.reasons();
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), SkipReason::kZipCorrupt), 1);
  EXPECT_EQ(std::count(reasons.begin(), reasons.end(), SkipReason::kGzipCorrupt), 1);
}

TEST(Wacz, WithoutADirectoryIsCorrupt) {
  const std::string bytes = zip_of(crawl());
  for (const std::size_t kept : {bytes.size() - 1, bytes.size() - 30, std::size_t{1000}, std::size_t{30}}) {
    const auto result = read_input(bytes.substr(0, kept));
    EXPECT_TRUE(result.documents.empty());
    EXPECT_EQ(result.reasons(), std::vector{SkipReason::kZipCorrupt}) << kept;
  }
}

std::string little_endian(std::uint64_t value, int bytes) {
  std::string made;
  for (int i = 0; i < bytes; ++i) made += static_cast<char>(value >> 8 * i);
  return made;
}

// The record at the end of a zip file.
std::string zip_end(std::uint64_t entries, std::uint64_t directory_bytes, std::uint64_t directory_begin) {
  return "PK\5\6" + std::string(4, '\0') + little_endian(entries, 2) + little_endian(entries, 2) +
         little_endian(directory_bytes, 4) + little_endian(directory_begin, 4) + std::string(2, '\0');
}

// A zip file whose directory lists its one stored entry again and again.
std::string zip_of_one_entry_named_often(const std::string& bytes, std::size_t times) {
  const std::string name = "archive/a.warc";
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  const std::string sizes = std::string(8, '\0') + little_endian(crc, 4) + little_endian(bytes.size(), 4) +
                            little_endian(bytes.size(), 4) + little_endian(name.size(), 2);
  const std::string local = "PK\3\4" + little_endian(20, 2) + sizes + little_endian(0, 2) + name + bytes;
  std::string directory;
  for (std::size_t i = 0; i < times; ++i) {
    directory += "PK\1\2" + little_endian(20, 2) + little_endian(20, 2) + sizes + std::string(16, '\0') + name;
  }
  return local + directory + zip_end(times, directory.size(), local.size());
}

TEST(Wacz, WithEntriesThatShareBytesIsReadOnce) {
  const std::string page = archived_page("urn:a", "<p>page " + std::string(50'000, 'x'));
  const auto result = read_input(zip_of_one_entry_named_often(page, 30));
  EXPECT_EQ(result.documents.size(), 1u);
  EXPECT_EQ(result.reasons(), std::vector(29, SkipReason::kZipCorrupt));
}

TEST(Wacz, IsReadIfItIsStoredOrDeflated) {
  std::string bytes = zip_of({{"archive/a.warc", archived_page("urn:0", "<p>plain"), true}});
  for (const std::size_t method : {std::size_t{8}, bytes.rfind("PK\1\2") + 10}) {
    ASSERT_EQ(bytes[method], 8);
    bytes[method] = 12;  // bzip2
  }
  const auto result = read_input(bytes);
  ASSERT_EQ(result.reasons(), std::vector{SkipReason::kZipCorrupt});
  EXPECT_NE(result.skips[0].detail.find("expected stored or deflate"), std::string::npos) << result.skips[0];
}

TEST(Wacz, LosesNoArchiveByItsName) {
  const auto result = read_input(zip_of({{"archive/", ""},
                                         {"archive/data", gzip_member(archived_page("urn:0", "<p>named otherwise"))},
                                         {"archive/notes.txt", "some text"},
                                         {"archive/none.warc", "some text"},
                                         {"archive/inner.wacz", zip_of(crawl())},
                                         {"crawl.warc.gz", pages(1, 1)}}));
  EXPECT_EQ(result.ids(), std::vector<std::string>{"urn:0"});
  ASSERT_EQ(result.skips.size(), 4u);
  EXPECT_TRUE(result.skips[0].path.ends_with("/archive/notes.txt")) << result.skips[0];
  EXPECT_TRUE(result.skips[1].path.ends_with("/archive/none.warc")) << result.skips[1];
  EXPECT_TRUE(result.skips[2].path.ends_with("/archive/inner.wacz")) << result.skips[2];
  EXPECT_TRUE(result.skips[3].path.ends_with("/crawl.warc.gz")) << result.skips[3];
  for (const std::size_t binary : {0, 2, 3}) EXPECT_EQ(result.skips[binary].reason, SkipReason::kBinary);
}

TEST(Wacz, InsideOfAnotherFileIsReported) {
  for (const CorpusFormat format : {CorpusFormat::kAuto, CorpusFormat::kWarc}) {
    const auto result = read_input(gzip_member(zip_of(crawl())), setup_of(format));
    ASSERT_EQ(result.reasons(), std::vector{SkipReason::kBinary});
    EXPECT_NE(result.skips[0].detail.find("copy it to a file of its own"), std::string::npos) << result.skips[0];
  }
}

TEST(Wacz, IsNoneIfTheFormatIsAnother) {
  const auto result = read_input("PK\3\4 a line\nanother\n", setup_of(CorpusFormat::kLines));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"PK\3\4 a line", "another"}));
}

TEST(Wacz, WithAnyByteChangedIsReadOrReported) {
  const std::string bytes = zip_of({{"archive/a.warc.gz", pages(0, 2)}, {"archive/b.warc", pages(2, 1), true}});
  const auto expected = read_input(bytes);
  ASSERT_EQ(expected.documents.size(), 3u);
  for (std::size_t at = 4; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] ^= 0x5A;
    const auto result = read_input(changed);
    if (result.skips.empty()) {
      SCOPED_TRACE(at);
      expect_same_documents(result, expected);
    }
  }
}

TEST(Wacz, WithADirectoryThatDoesNotFitIsRefused) {
  std::string bytes = zip_of(crawl());
  const std::size_t end = bytes.rfind("PK\5\6");
  const std::uint32_t huge = 0x7FFFFFFF;
  bytes.replace(end + 12, 4, reinterpret_cast<const char*>(&huge), 4);
  EXPECT_EQ(read_input(bytes).reasons(), std::vector{SkipReason::kZipCorrupt}) << "longer than the file";
  MemoryBudget small(1000);
  const std::string path = shared_directory() / "wide.zip";
  std::vector<ZipEntry> entries = crawl();
  while (entries.size() < 1000) entries.push_back({"pages/" + std::to_string(entries.size()), ""});
  write_input(path, zip_of(entries));
  const std::uint64_t file_bytes = std::filesystem::file_size(path);
  EXPECT_THROW(ZipFile(posix_file_system().open(path), file_bytes, small), BudgetError);
  // The plan keeps the memory, so that a job that cannot do with it ends before it begins.
  const std::uint64_t needed = ZipFile::needed_bytes(*posix_file_system().open(path), file_bytes);
  EXPECT_EQ(ZipFile(posix_file_system().open(path), file_bytes, small, needed).entry_count(), entries.size());
  const CorpusPlan plan = plan_corpus(posix_file_system(), {path}, {});
  EXPECT_EQ(plan.unpack_bytes, ZstdCodec::kStreamBytes + needed);
}

// libzip reads the directories of all end records and keeps the best.
TEST(Wacz, WithSeveralDirectoriesNeedsMemoryForAll) {
  std::vector<ZipEntry> entries = crawl();
  while (entries.size() < 1000) entries.push_back({"pages/" + std::to_string(entries.size()), ""});
  std::string bytes = zip_of(entries);
  bytes += zip_end(0, 0, bytes.size());
  const std::string path = shared_directory() / "two_ends.zip";
  write_input(path, bytes);
  MemoryBudget small(1000);
  EXPECT_THROW(ZipFile(posix_file_system().open(path), bytes.size(), small), BudgetError);
}

TEST(Wacz, WithMoreEntriesThanItsDirectoryHoldsIsCorrupt) {
  const std::string bytes = zip_of(crawl());
  const std::string ended = bytes.substr(0, bytes.rfind("PK\5\6"));
  EXPECT_EQ(read_input(ended + zip_end(65'000, 460, ended.size() - 460)).reasons(),
            std::vector{SkipReason::kZipCorrupt});
}

}  // namespace
}  // namespace spillway
