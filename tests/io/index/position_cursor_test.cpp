#include "io/index/position_cursor.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::Posting;
using testing::Postings;
using testing::SampleIndex;

std::vector<std::uint32_t> expected_positions(const Posting& posting) {
  std::vector<std::uint32_t> positions = testing::sample_positions(posting);
  for (std::size_t i = 1; i < positions.size(); ++i) positions[i] += positions[i - 1];
  return positions;
}

std::vector<std::uint32_t> read_posting(PositionCursor& cursor) {
  std::vector<std::uint32_t> positions;
  while (true) {
    const auto some = cursor.next();
    if (some.empty()) break;
    EXPECT_LE(some.size(), kDistanceBlock);
    positions.insert(positions.end(), some.begin(), some.end());
  }
  EXPECT_TRUE(cursor.next().empty());
  return positions;
}

// Lists whose numbers of postings and occurrences are at and around the borders of blocks.
SampleIndex sample_of_borders() {
  SampleIndex sample;
  sample.options.positions = true;
  sample.documents.resize(3000);
  const auto add = [&](const std::string& term, std::uint32_t count, const auto& frequency) {
    for (std::uint32_t d = 0; d < count; ++d) sample.lists[term].emplace_back(d * 3000 / count, frequency(d));
  };
  for (const std::uint32_t count : {1u, 2u, 127u, 128u, 129u, 255u, 256u, 257u, 1000u, 3000u}) {
    const std::string name = std::to_string(count);
    add("once" + name, count, [](std::uint32_t) { return 1u; });
    add("some" + name, count, [](std::uint32_t d) { return 1 + d * 7 % 11; });
    add("sometimes_many" + name, count, [](std::uint32_t d) { return d % 100 == 3 ? 128 * (d % 9) + 1 : 1; });
  }
  for (const std::uint32_t frequency : {127u, 128u, 129u, 256u, 100000u}) {
    sample.lists["many" + std::to_string(frequency)] = {{7, frequency}};
  }
  return sample;
}

class PositionCursorOf : public ::testing::Test {
 protected:
  PositionCursorOf() : sample_(sample_of_borders()) {
    testing::write_sample(posix_file_system(), scratch_ / "index", sample_);
    index_.emplace(posix_file_system(), scratch_ / "index");
  }
  testing::ScratchDirectory scratch_;
  SampleIndex sample_;
  std::optional<IndexReader> index_;
};

TEST_F(PositionCursorOf, GivesThePositionsOfEveryPosting) {
  for (const auto& [term, list] : sample_.lists) {
    const TermEntry entry = *index_->find_term(term);
    PostingsCursor postings(*index_, entry);
    PositionCursor positions(*index_, entry);
    std::size_t next = 0;
    while (postings.next_block()) {
      for (std::size_t i = 0; i < postings.documents().size(); ++i) {
        positions.seek(postings, i);
        ASSERT_EQ(read_posting(positions), expected_positions(list[next++])) << term;
      }
    }
    ASSERT_EQ(next, list.size());
    EXPECT_TRUE(positions.at_end());
  }
}

TEST_F(PositionCursorOf, SkipsPostingsThatNobodyAsksFor) {
  std::mt19937_64 random(5);
  for (const auto& [term, list] : sample_.lists) {
    for (const unsigned step : {2u, 9u, 200u}) {
      const TermEntry entry = *index_->find_term(term);
      PostingsCursor postings(*index_, entry);
      PositionCursor positions(*index_, entry);
      std::size_t first = 0;
      while (postings.next_block()) {
        for (std::size_t i = random() % step; i < postings.documents().size(); i += 1 + random() % step) {
          positions.seek(postings, i);
          if (random() % 4 == 0) continue;
          const auto expected = expected_positions(list[first + i]);
          const auto some = positions.next();
          ASSERT_EQ(some[0], expected[0]) << term;
          if (random() % 4 != 0) continue;
          positions.seek(postings, i);
          ASSERT_EQ(read_posting(positions), expected) << term;
        }
        first += postings.documents().size();
      }
    }
  }
}

TEST_F(PositionCursorOf, GoesToPostingsInAnyOrder) {
  std::mt19937_64 random(6);
  for (const auto& [term, list] : sample_.lists) {
    std::vector<std::uint32_t> frequencies;
    for (const Posting& posting : list) frequencies.push_back(posting.second);
    PositionCursor positions(*index_, *index_->find_term(term));
    for (int round = 0; round < 40; ++round) {
      const std::size_t wanted = random() % list.size(), block = wanted / kPostingsBlock;
      const auto of_block = std::span(frequencies).subspan(block * kPostingsBlock);
      positions.seek(block, of_block.first(std::min(kPostingsBlock, of_block.size())), wanted % kPostingsBlock);
      ASSERT_EQ(read_posting(positions), expected_positions(list[wanted])) << term;
    }
  }
}

TEST_F(PositionCursorOf, RefusesFrequenciesThatAreNotOfTheList) {
  const TermEntry entry = *index_->find_term("some129");
  PositionCursor positions(*index_, entry);
  const std::vector<std::uint32_t> many(129, 1000);
  EXPECT_THROW(positions.seek(0, many, 128), FormatError);
  EXPECT_THROW(positions.seek(2, many, 0), FormatError);
  positions.seek(1, many, 0);
  EXPECT_THROW(read_posting(positions), FormatError);
}

TEST(PositionCursor, NeedsAnIndexWithPositions) {
  testing::ScratchDirectory scratch;
  SampleIndex sample = testing::make_sample(10, 5, 1);
  testing::write_sample(posix_file_system(), scratch / "index", sample);
  const IndexReader index(posix_file_system(), scratch / "index");
  const TermEntry entry = *index.find_term(sample.lists.begin()->first);
  EXPECT_THROW(PositionCursor(index, entry), UsageError);
}

}  // namespace
}  // namespace spillway
