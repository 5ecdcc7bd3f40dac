#include "corpora/reader/file_table.hpp"

#include <gtest/gtest.h>

#include <random>

namespace spillway {
namespace {

bool same(const CorpusFile& a, const CorpusFile& b) {
  return a.path == b.path && a.id_begin == b.id_begin && a.size == b.size && a.modified_ns == b.modified_ns &&
         a.format == b.format && a.compression == b.compression && a.is_stream == b.is_stream && a.begin == b.begin &&
         a.end == b.end && a.unpack_bytes == b.unpack_bytes;
}

void expect_holds(const FileTable& table, const std::vector<CorpusFile>& expected) {
  EXPECT_EQ(table.size(), expected.size());
  std::size_t i = 0;
  for (const CorpusFile& file : table) {
    ASSERT_LT(i, expected.size());
    ASSERT_TRUE(same(file, expected[i])) << i << ": " << file.path;
    ++i;
  }
  EXPECT_EQ(i, expected.size());
}

std::vector<CorpusFile> random_files(std::size_t count) {
  std::mt19937_64 random(5);
  std::vector<CorpusFile> files;
  for (std::size_t i = 0; i < count; ++i) {
    CorpusFile file;
    file.path = std::string(random() % 40, 'd') + "/" + std::to_string(random() % 1000);
    if (i % 1000 == 7) file.path.append(5000, 'x');
    file.id_begin = random() % (file.path.size() + 1);
    file.size = random() >> (random() % 64);
    file.modified_ns = static_cast<std::int64_t>(random() >> (random() % 64));
    if (random() % 2 == 0) file.modified_ns = -file.modified_ns;
    file.format = static_cast<CorpusFormat>(random() % kCorpusFormatCount);
    file.compression = static_cast<Compression>(random() % 3);
    file.is_stream = random() % 5 == 0;
    file.end = file.size;
    if (random() % 3 == 0) file.begin = random(), file.end = random();
    if (needs_reader(file)) file.unpack_bytes = random() >> (random() % 64);
    files.push_back(file);
  }
  return files;
}

TEST(FileTable, GivesBackWhatWasAdded) {
  const std::vector<CorpusFile> files = random_files(30000);  // several chunks
  FileTable table;
  expect_holds(table, {});
  for (const CorpusFile& file : files) table.add(file);
  EXPECT_GT(table.memory_bytes(), std::size_t{1} << 20);
  expect_holds(table, files);
}

TEST(FileTable, CursorsAreIndependent) {
  const std::vector<CorpusFile> files = random_files(20);
  FileTable table;
  for (const CorpusFile& file : files) table.add(file);
  FileTable::Cursor ahead = table.begin();
  for (int i = 0; i < 10; ++i) ++ahead;
  FileTable::Cursor copy = ahead;
  ++ahead;
  EXPECT_TRUE(same(*copy, files[10]));
  EXPECT_TRUE(same(*ahead, files[11]));
}

TEST(FileTable, TakesFewBytesForFilesInOrder) {
  FileTable table;
  constexpr std::size_t kFiles = 100'000;
  for (std::size_t i = 0; i < kFiles; ++i) {
    const std::string number = std::to_string(1'000'000 + i);
    const std::string path = "/collections/crawl/2026/" + number.substr(0, 4) + "/document-" + number + ".txt";
    table.add({.path = path,
               .id_begin = 20,
               .size = 2000 + i % 3000,
               .modified_ns = 1'790'000'000'000'000'000 + static_cast<std::int64_t>(i) * 137'000,
               .end = 2000 + i % 3000});
  }
  EXPECT_LE(table.memory_bytes(), kFiles * 20);
}

TEST(FileTable, OnlyCountsWhatIsTooMuch) {
  const std::vector<CorpusFile> files = random_files(10000);
  FileTable all, none(1000);
  for (const CorpusFile& file : files) {
    all.add(file);
    none.add(file);
  }
  EXPECT_TRUE(all.is_whole());
  EXPECT_FALSE(none.is_whole());
  EXPECT_EQ(none.size(), files.size());
  EXPECT_EQ(none.memory_bytes(), all.memory_bytes());
  EXPECT_THROW(none.begin(), std::logic_error);
}

}  // namespace
}  // namespace spillway
