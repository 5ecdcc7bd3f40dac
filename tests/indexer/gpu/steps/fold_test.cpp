// Folding sorted keys with positions: lists that are cut into stretches, wherever lists, postings and groups of keys
// end.
#include "indexer/gpu/steps/fold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "io/base/varint.hpp"

namespace spillway {
namespace {

constexpr std::uint32_t kStretch = kGroupKeys + 1;  // the least that is allowed: most cuts
constexpr unsigned kOccurrenceBits = 20, kDocumentBits = 19;

struct Posting {
  std::uint32_t document = 0;
  std::vector<std::uint32_t> positions;
  bool operator==(const Posting&) const = default;
};
using List = std::vector<Posting>;

// A block: occurrence i belongs to term terms[i] and to document documents[i].
struct Block {
  std::vector<std::uint32_t> documents, positions;
  std::vector<std::uint64_t> keys;  // sorted
  std::uint32_t term_count = 0;
};

// `lengths[t]` occurrences of term t, in documents of `per_document` occurrences each.
Block make_block(const std::vector<std::uint32_t>& lengths, std::uint32_t per_document, std::mt19937& random) {
  std::vector<std::uint32_t> terms;
  for (std::uint32_t t = 0; t < lengths.size(); ++t) terms.insert(terms.end(), lengths[t], t);
  std::shuffle(terms.begin(), terms.end(), random);
  Block block;
  block.term_count = static_cast<std::uint32_t>(lengths.size());
  for (std::uint32_t i = 0; i < terms.size(); ++i) {
    block.documents.push_back(i / per_document);
    block.positions.push_back(i % per_document);
    block.keys.push_back(std::uint64_t{terms[i]} << kOccurrenceBits | i);
  }
  std::sort(block.keys.begin(), block.keys.end());
  return block;
}

std::vector<List> expected_lists(const Block& block) {
  std::vector<List> lists(block.term_count);
  for (const std::uint64_t key : block.keys) {
    List& list = lists[key >> kOccurrenceBits];
    const auto occurrence = static_cast<std::uint32_t>(key & ((1U << kOccurrenceBits) - 1));
    if (list.empty() || list.back().document != block.documents[occurrence]) {
      list.push_back({block.documents[occurrence], {}});
    }
    list.back().positions.push_back(block.positions[occurrence]);
  }
  return lists;
}

std::uint64_t take_number(const std::uint8_t*& at, const std::uint8_t* end) {
  std::uint64_t value = 0;
  EXPECT_TRUE(read_varint(&at, end, &value));
  return value;
}

// The folded block: its fragments, the entry after the last one, and their bytes.
struct Folded {
  std::vector<EncodedFragment> fragments;
  std::vector<std::uint8_t> postings, distances;
};

bool same_sums(const GroupSums& a, const GroupSums& b) {
  return std::tie(a.posting_bytes, a.distance_bytes, a.fragments, a.postings) ==
         std::tie(b.posting_bytes, b.distance_bytes, b.fragments, b.postings);
}
bool same_fragment(const EncodedFragment& a, const EncodedFragment& b) {
  return std::tie(a.first_posting_byte, a.first_distance_byte, a.rank, a.first_posting, a.first_occurrence,
                  a.last_document) == std::tie(b.first_posting_byte, b.first_distance_byte, b.rank, b.first_posting,
                                               b.first_occurrence, b.last_document);
}

// Folds copies of kGroups groups of keys, each into memory of its own. `sums`: exclusive.
template <unsigned kGroups, typename Keys>
void expect_the_same_from_copies(const Keys& keys, const std::vector<GroupSums>& sums, const Folded& expected) {
  const std::size_t groups = sums.size() - 1;
  Folded folded{std::vector<EncodedFragment>(expected.fragments.size()), {}, {}};
  std::vector<GroupSums> measured(groups);
  for (std::size_t first = 0; first < groups; first += kGroups) {
    const std::size_t last = std::min<std::size_t>(first + kGroups, groups);
    KeyCopy<Keys, kGroups> copy;
    for (unsigned i = 0; i < 5; ++i) copy.copy(keys, first, i, 5);
    const CopiedKeys copied(keys, first, copy);
    std::vector<std::uint8_t> postings(sums[last].posting_bytes - sums[first].posting_bytes);
    std::vector<std::uint8_t> distances(sums[last].distance_bytes - sums[first].distance_bytes);
    for (std::size_t g = first; g < last; ++g) {
      MeasureGroup<Keys>{keys, measured.data()}.write(copied, g);
      EXPECT_TRUE(same_sums(AddGroupSums{}(sums[g], measured[g]), sums[g + 1])) << g;
      WriteGroup<Keys>{keys, sums.data(), folded.fragments.data(), nullptr, nullptr}.write(
          copied, g, {postings.data(), sums[first].posting_bytes}, {distances.data(), sums[first].distance_bytes});
    }
    folded.postings.insert(folded.postings.end(), postings.begin(), postings.end());
    folded.distances.insert(folded.distances.end(), distances.begin(), distances.end());
  }
  EXPECT_TRUE(std::ranges::equal(folded.fragments, expected.fragments, same_fragment));
  EXPECT_TRUE(folded.postings == expected.postings);
  EXPECT_TRUE(folded.distances == expected.distances);
}

template <typename Keys>
Folded fold(const Keys& keys) {
  const std::size_t groups = (keys.count + kGroupKeys - 1) / kGroupKeys;
  std::vector<GroupSums> sums(groups + 1);
  for (std::size_t g = 0; g <= groups; ++g) MeasureGroup<Keys>{keys, sums.data()}(g);
  GroupSums before;
  for (GroupSums& sum : sums) before = AddGroupSums{}(std::exchange(sum, before), before);
  Folded folded;
  folded.fragments.resize(sums[groups].fragments + 1);
  folded.postings.resize(sums[groups].posting_bytes);
  folded.distances.resize(sums[groups].distance_bytes);
  for (std::size_t g = 0; g < groups; ++g) {
    WriteGroup<Keys>{keys, sums.data(), folded.fragments.data(), folded.postings.data(), folded.distances.data()}(g);
  }
  expect_the_same_from_copies<1>(keys, sums, folded);
  expect_the_same_from_copies<3>(keys, sums, folded);
  expect_the_same_from_copies<64>(keys, sums, folded);  // as a thread block has
  return folded;
}

Folded fold(const Block& block, std::uint32_t stretch) {
  const auto count = static_cast<std::uint32_t>(block.keys.size());
  std::vector<std::uint64_t> with_documents(count);
  std::vector<std::uint32_t> ordered_positions(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    ReplaceOccurrences{block.keys.data(),      kOccurrenceBits,       kDocumentBits,           block.documents.data(),
                       block.positions.data(), with_documents.data(), ordered_positions.data()}(i);
  }
  const FoldedPositions keys{{with_documents.data(), count, kDocumentBits}, stretch, ordered_positions.data()};
  fold(static_cast<const FoldedKeys&>(keys));
  return fold(keys);
}

// Adds a fragment to its list, as a reader of a run does: if its first document is the last of the list, that goes on.
void add_fragment(const Folded& folded, std::size_t p, List& list) {
  const EncodedFragment& fragment = folded.fragments[p];
  const EncodedFragment& next = folded.fragments[p + 1];
  const std::uint8_t* at = folded.postings.data() + fragment.first_posting_byte;
  const std::uint8_t* const end = folded.postings.data() + next.first_posting_byte;
  const std::uint8_t* distance = folded.distances.data() + fragment.first_distance_byte;
  const std::uint8_t* const last_distance = folded.distances.data() + next.first_distance_byte;
  std::uint32_t document = 0, occurrences = 0;
  for (std::uint32_t i = fragment.first_posting; i < next.first_posting; ++i) {
    const std::uint64_t word = take_number(at, end);
    const std::uint64_t frequency = (word & 1) != 0 ? 1 : take_number(at, end);
    document += static_cast<std::uint32_t>(word >> 1);
    if (list.empty() || list.back().document != document) list.push_back({document, {}});
    std::uint32_t position = 0;
    for (std::uint64_t j = 0; j < frequency; ++j) {
      position += static_cast<std::uint32_t>(take_number(distance, last_distance));
      list.back().positions.push_back(position);
    }
    occurrences += static_cast<std::uint32_t>(frequency);
  }
  EXPECT_EQ(at, end);
  EXPECT_EQ(distance, last_distance);
  EXPECT_EQ(document, fragment.last_document);
  EXPECT_EQ(occurrences, next.first_occurrence - fragment.first_occurrence);
}

void expect_lists(const Block& block, std::uint32_t stretch = kStretch) {
  const Folded folded = fold(block, stretch);
  std::vector<List> lists(block.term_count);
  for (std::size_t p = 0; p + 1 < folded.fragments.size(); ++p)
    add_fragment(folded, p, lists[folded.fragments[p].rank]);
  EXPECT_EQ(lists, expected_lists(block));
}

// Where two lists met in one group of keys, the second one once took the end of the first one's stretch for its own,
// and a posting that continued after the group was counted twice.
TEST(FoldedPositions, CutsNoListWhereTheOneBeforeItWouldHaveBeenCut) {
  std::mt19937 random(1);
  for (std::uint32_t first = 1; first < kGroupKeys; ++first) {
    for (std::uint32_t missing = 1; missing < kGroupKeys; missing += 3) {
      expect_lists(make_block({first, 2 * kStretch - missing, kStretch}, 2 * kStretch, random));
    }
  }
}

// Lists that copies of 64 groups only have parts of, with the stretch of jobs.
TEST(FoldedPositions, GivesListsOfManyStretches) {
  constexpr std::uint32_t kLong = 1U << 16;
  std::mt19937 random(3);
  for (const std::uint32_t per_document : {40U, 3000U, 200000U}) {
    expect_lists(make_block({70000, 1, 200000, 5, kLong, 2 * kLong, kLong + 1, 30}, per_document, random), kLong);
  }
}

TEST(FoldedPositions, GivesTheListsOfAnyBlock) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    std::vector<std::uint32_t> lengths(1 + below(12));
    for (std::uint32_t& length : lengths) length = 1 + below(below(2) == 0 ? 20 : 6 * kStretch);
    expect_lists(make_block(lengths, 1 + below(200), random));
  }
}

}  // namespace
}  // namespace spillway
