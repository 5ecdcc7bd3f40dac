#include "corpora/revisits/table.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

class RevisitTables : public ::testing::Test {
 protected:
  const testing::ScratchDirectory scratch_;
  TempSpace temp_{posix_file_system(), {}, scratch_.path(), 0};
};

TEST_F(RevisitTables, GiveTheRevisitsOfEachRecord) {
  std::mt19937_64 random(1);
  std::map<RecordLocation, std::vector<std::uint64_t>> expected;
  std::map<std::uint64_t, std::string> ids;
  RevisitTableWriter writer(temp_);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const RecordLocation record{random() % 3, (random() % 1000) << 30};
    // Some records have more revisits than a cursor holds at a time.
    const std::uint64_t count = i % 1000 == 7 ? 1500 : random() % 3;
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::string id(random() % 300, static_cast<char>('a' + i % 26));
      const std::uint64_t place = writer.add(Revisit{id, "u" + id, "d", "path/" + std::to_string(i), i});
      ids[place] = id;
      expected[record].push_back(place);
    }
  }
  for (const auto& [record, places] : expected) {
    for (const std::uint64_t place : places) writer.add(RevisitEntry{record, place});
  }
  const auto table = writer.finish();
  RevisitCursor ascending(*table), jumping(*table);
  const auto expect = [&](RevisitCursor& cursor, const RecordLocation& record) {
    const auto found = expected.find(record);
    ASSERT_EQ(cursor.seek(record), found != expected.end());
    if (found == expected.end()) return;
    for (const std::uint64_t place : found->second) ASSERT_EQ(cursor.next(), place);
    ASSERT_EQ(cursor.next(), std::nullopt);
  };
  for (std::uint64_t file = 0; file < 4; ++file) {
    for (std::uint64_t i = 0; i <= 1000; ++i) expect(ascending, {file, i << 30});
  }
  EXPECT_NO_THROW(table->check_all_met({0, 0}));
  EXPECT_THROW(table->check_all_met({1, 0}), IoError);
  table->begin_pass();
  EXPECT_THROW(table->check_all_met({0, 0}), IoError);
  for (const auto& [record, places] : expected) expect(ascending, record);
  EXPECT_NO_THROW(table->check_all_met({0, 0}));
  for (int i = 0; i < 3000; ++i) expect(jumping, {random() % 4, (random() % 1001) << 30});
  for (const auto& [place, id] : ids) {
    const Revisit revisit = table->revisit(place);
    EXPECT_EQ(revisit.id, id);
    EXPECT_EQ(revisit.url, "u" + id);
    EXPECT_EQ(revisit.date, "d");
    EXPECT_EQ(revisit.path, "path/" + std::to_string(revisit.offset));
  }
}

TEST_F(RevisitTables, MayBeEmpty) {
  const auto table = RevisitTableWriter(temp_).finish();
  RevisitCursor cursor(*table);
  EXPECT_FALSE(cursor.seek({0, 0}));
  EXPECT_EQ(cursor.next(), std::nullopt);
}

TEST_F(RevisitTables, RefuseDamagedBytes) {
  RevisitTableWriter writer(temp_);
  const std::uint64_t place = writer.add(Revisit{"id", "url", "date", "path", 1});
  writer.add(RevisitEntry{{0, 5}, place});
  const auto table = writer.finish();
  for (const auto& file : std::filesystem::directory_iterator(scratch_.path())) {
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(10);
    bytes.put('\xAA');
  }
  EXPECT_THROW(table->revisit(place), FormatError);
  RevisitCursor cursor(*table);
  EXPECT_THROW(cursor.seek({0, 5}), FormatError);
}

}  // namespace
}  // namespace spillway
