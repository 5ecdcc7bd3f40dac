#include "indexer/revisits/linker.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "corpora/revisits/table.hpp"
#include "io/file/posix_file_system.hpp"
#include "sort/sort_plan.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

struct Record {
  bool is_revisit = false;
  WarcHeader header;
};

Record response(const std::string& id, const std::string& uri = "", const std::string& date = "",
                const std::string& digest = "") {
  Record record;
  record.header.record_id = id;
  record.header.target_uri = uri;
  record.header.date = date;
  record.header.payload_digest = digest;
  return record;
}

Record revisit(const std::string& id, const std::string& refers_to) {
  Record record = response(id);
  record.is_revisit = true;
  record.header.refers_to = refers_to;
  return record;
}

class RevisitLinks : public ::testing::Test {
 protected:
  // The number of the record that each revisit leads to. Records are 10 to a file.
  std::map<std::size_t, std::size_t> link(const std::vector<Record>& records) {
    MemoryBudget budget(std::size_t{64} << 20);
    TempSpace temp(posix_file_system(), {}, scratch_.path(), 0);
    std::map<std::size_t, std::size_t> links, followed;
    {
      RevisitLinker linker({budget, temp, auto_string_sorter()});
      const auto location = [](std::size_t i) { return RecordLocation{i / 10, i % 10 * 1000}; };
      for (std::size_t i = 0; i < records.size(); ++i) {
        if (records[i].is_revisit) {
          linker.add_revisit(location(i), records[i].header, i);
        } else {
          linker.add_record(location(i), records[i].header);
        }
      }
      std::optional<std::pair<RecordLocation, std::uint64_t>> last;
      const std::uint64_t count = linker.link([&](const RecordLocation& record, std::uint64_t place) {
        const std::size_t number = record.file * 10 + record.offset / 1000;
        if (last) {
          EXPECT_LT(*last, std::pair(record, place));
        }
        last = {record, place};
        if (place == RevisitEntry::kFollowed) {
          EXPECT_TRUE(followed.emplace(number, 0).second);
        } else {
          EXPECT_TRUE(links.emplace(place, number).second);
        }
      });
      EXPECT_EQ(count, links.size());
      EXPECT_EQ(followed.size(), links.size());
      for (const auto& [number, nothing] : followed) EXPECT_TRUE(links.contains(number));
      spilled_ = temp.written_bytes();
    }
    EXPECT_EQ(budget.used_bytes(), 0U);
    EXPECT_EQ(temp.used_bytes(), 0U);
    return links;
  }
  std::optional<std::size_t> link_of(const std::vector<Record>& records, std::size_t revisit) {
    const auto links = link(records);
    const auto found = links.find(revisit);
    return found == links.end() ? std::nullopt : std::optional(found->second);
  }

  const testing::ScratchDirectory scratch_;
  std::uint64_t spilled_ = 0;
};

TEST_F(RevisitLinks, TheBestKeyCounts) {
  Record seeker = revisit("r", "id");
  seeker.header.target_uri = "own";
  seeker.header.refers_to_uri = "uri";
  seeker.header.refers_to_date = "2024-01-02T03:04:05Z";
  seeker.header.payload_digest = "SHA1:abc";
  std::vector<Record> records{seeker, response("1", "other", "2024", "sha1:ABC"),
                              response("2", "uri", "2024", "sha1:ABC"),
                              response("3", "uri", "20240102030405", "sha1:X"), response("id", "y", "2024", "sha1:Y")};
  for (std::size_t best = records.size() - 1; best > 0; --best) {
    EXPECT_EQ(link_of(records, 0), best);
    records.pop_back();
  }
  EXPECT_EQ(link_of(records, 0), std::nullopt);
}

TEST_F(RevisitLinks, WithoutATargetUriTheOwnOneCounts) {
  Record seeker = revisit("r", "");
  seeker.header.target_uri = "own";
  seeker.header.refers_to_date = "2024-01-02T03:04:05.25Z";
  EXPECT_EQ(link_of({response("1", "x", "2024-01-02T03:04:05Z"), response("2", "own", "2024-01-02T03:04:06Z"),
                     response("3", "own", "2024-01-02T03:04:05Z"), seeker},
                    3),
            2U);
  seeker.header.refers_to_date.clear();
  EXPECT_EQ(link_of({response("3", "own", "2024-01-02T03:04:05Z"), seeker}, 1), std::nullopt);
}

TEST_F(RevisitLinks, OfEqualRecordsTheFirstCounts) {
  std::vector<Record> records;
  for (int i = 0; i < 25; ++i) records.push_back(response("same", "u", "2024", "sha1:A"));
  Record by_digest = revisit("", "");
  by_digest.header.payload_digest = "sha1:a";
  records.insert(records.begin() + 3, {revisit("same", "same"), by_digest, revisit("", "same")});
  EXPECT_EQ(link(records), (std::map<std::size_t, std::size_t>{{3, 0}, {4, 0}, {5, 0}}));
}

TEST_F(RevisitLinks, GoOnThroughRevisits) {
  for (const std::size_t length : {1, 2, 3, 7, 8, 9, 1000}) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < length; ++i) records.push_back(revisit(std::to_string(i), std::to_string(i + 1)));
    EXPECT_TRUE(link(records).empty()) << "they end nowhere";
    records.push_back(response(std::to_string(length)));
    const auto links = link(records);
    ASSERT_EQ(links.size(), length);
    for (const auto& [from, to] : links) ASSERT_EQ(to, length) << from;
  }
}

TEST_F(RevisitLinks, EndInCircles) {
  for (const std::size_t length : {1, 2, 3, 4, 100}) {
    std::vector<Record> records{response("page")};
    for (std::size_t i = 0; i < length; ++i) {
      records.push_back(revisit(std::to_string(i), std::to_string((i + 1) % length)));
    }
    records.push_back(revisit("tail", "0"));
    records.push_back(revisit("good", "page"));
    EXPECT_EQ(link(records), (std::map<std::size_t, std::size_t>{{records.size() - 1, 0}}));
  }
}

TEST_F(RevisitLinks, LedNowhereTheyTakeAnotherKey) {
  Record middle = revisit("b", "lost"), first = revisit("a", "b");
  first.header.payload_digest = "sha1:1";
  const std::vector<Record> records{first, middle, response("x", "", "", "sha1:1"), response("y", "", "", "sha1:2")};
  EXPECT_EQ(link(records), (std::map<std::size_t, std::size_t>{{0, 2}}));
  middle.header.payload_digest = "sha1:2";
  EXPECT_EQ(link({first, middle, records[2], records[3]}), (std::map<std::size_t, std::size_t>{{0, 3}, {1, 3}}));
}

// Follows one revisit after the other, by the rules that the first test states.
class Oracle {
 public:
  explicit Oracle(const std::vector<Record>& records) : records_(records) {}

  std::optional<std::size_t> end_of(std::size_t number, std::size_t steps = 0) const {
    if (!records_[number].is_revisit) return number;
    if (steps > records_.size()) return std::nullopt;
    const std::optional<std::size_t> next = owner(number, false);
    if (!next) return std::nullopt;
    const auto end = end_of(*next, steps + 1);
    return end ? end : owner(number, true);
  }

 private:
  std::optional<std::size_t> owner(std::size_t number, bool must_be_response) const {
    const WarcHeader& seeker = records_[number].header;
    for (int key = 0; key < 2; ++key) {
      for (const bool wants_revisit : {false, true}) {
        if (wants_revisit && (must_be_response || key == 1)) continue;
        for (std::size_t i = 0; i < records_.size(); ++i) {
          const WarcHeader& owner = records_[i].header;
          if (records_[i].is_revisit != wants_revisit || i == number) continue;
          if (key == 0 ? owner.record_id == seeker.refers_to : owner.payload_digest == seeker.payload_digest) return i;
        }
      }
    }
    return std::nullopt;
  }
  const std::vector<Record>& records_;
};

// Each refers to an earlier one, so that there is no circle.
TEST_F(RevisitLinks, AreThoseOfASearchOneByOne) {
  std::mt19937_64 random(5);
  for (const std::size_t count : {20, 200, 1500}) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string id = std::to_string(i),
                        other = std::to_string(random() % (i + 1) + (random() % 9 == 0 ? count : 0));
      records.push_back(random() % 3 == 0 ? response(id) : revisit(id, i == 0 ? "none" : other == id ? "none" : other));
      records.back().header.payload_digest = "sha1:" + std::to_string(random() % count);
      records.back().header.target_uri = "u";
    }
    const auto links = link(records);
    const Oracle oracle(records);
    for (std::size_t i = 0; i < count; ++i) {
      if (!records[i].is_revisit) continue;
      const auto found = links.find(i);
      ASSERT_EQ(found == links.end() ? std::nullopt : std::optional(found->second), oracle.end_of(i)) << i;
    }
  }
}

TEST_F(RevisitLinks, AreFoundOutOfCore) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < 20000; ++i) {
    const std::string id = "urn:uuid:" + std::to_string(i);
    records.push_back(i % 5 == 0 ? response(id)
                                 : revisit(id, "urn:uuid:" + std::to_string(i % 5 == 1 ? i - 1 : i - 2)));
  }
  records[3] = revisit("urn:uuid:3", "lost");
  const auto links = link(records);
  EXPECT_GT(spilled_, std::uint64_t{1} << 20);
  EXPECT_EQ(links.size(), 16000U - 1);
  for (const auto& [from, to] : links) ASSERT_EQ(to, from / 5 * 5);
}

}  // namespace
}  // namespace spillway
