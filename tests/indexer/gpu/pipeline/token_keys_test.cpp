#include "indexer/gpu/pipeline/token_keys.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "sort/sorters.hpp"
#include "tests/indexer/gpu/pipeline/synthetic_block.hpp"
#include "tests/indexer/gpu/pipeline/token_block.hpp"
#include "tests/support/host_gpu/host_executor.hpp"

namespace spillway {
namespace {

using testing::HostExecutor;
using testing::SyntheticBlock;
using testing::SyntheticShape;
using testing::TokenBlock;

constexpr std::size_t kBudget = std::size_t{1} << 30;

// The second half of a pass reads this.
struct FoundKeys {
  bool table_was_full = false;
  std::vector<std::pair<std::string, std::uint64_t>> terms_and_documents;  // of the keys, in order
  std::vector<std::uint32_t> positions;
};

FoundKeys find_keys(const Block& block, Positions positions, std::string_view records, bool finds_terms) {
  MemoryBudget budget(kBudget);
  const BlockPacker packer(block, positions, ChunkForm::kTokens);
  const RecordSorter* const sorter = find_record_sorter(records);
  const StringSorter& strings = *find_string_sorter("cpu-msd");
  const PassScratch scratch = HostExecutor::scratch_of(packer.size(), sorter, strings);
  HostExecutor executor(testing::make_host_arenas(1, lay_out_tokens(packer.size(), scratch).total_bytes, budget),
                        sorter, strings, budget);
  executor.take_arena();
  KeysOfTokens pass(executor, packer);
  const SortedKeys keys = pass.make(finds_terms);
  const TokenLayout& layout = pass.layout();
  const std::uint8_t* const arena = executor.arena().data();
  const auto* const offsets = reinterpret_cast<const std::uint64_t*>(arena + layout.rank_text_offsets);
  const auto* const text = reinterpret_cast<const char*>(arena + layout.rank_text);
  FoundKeys found{keys.table_was_full, {}, {}};
  for (std::size_t i = 0; i < packer.size().occurrences; ++i) {
    const std::uint64_t rank = keys.keys[i] >> keys.document_bits;
    EXPECT_LT(rank, keys.ranks);
    found.terms_and_documents.emplace_back(std::string(text + offsets[rank], text + offsets[rank + 1]),
                                           keys.keys[i] & ((std::uint64_t{1} << keys.document_bits) - 1));
    if (positions == Positions::kStored) {
      found.positions.push_back(reinterpret_cast<const std::uint32_t*>(arena + layout.ordered_positions)[i]);
    }
  }
  return found;
}

class KeysOfTokensTest : public ::testing::TestWithParam<std::tuple<Positions, const char*>> {};

TEST_P(KeysOfTokensTest, AreTheSameWithTheTableOfTermsAndWithoutIt) {
  const auto& [positions, records] = GetParam();
  for (const auto& [vocabulary, is_full] : {std::pair{300.0, false}, std::pair{1e9, true}}) {
    const SyntheticBlock occurrences(SyntheticShape{.chunks = 4,
                                                    .documents = 60,
                                                    .tokens = 100,
                                                    .vocabulary = vocabulary,
                                                    .longest_term_bytes = 40,
                                                    .cut_documents = true,
                                                    .positions = positions});
    const TokenBlock tokens(occurrences.block(), 1);
    const FoundKeys with = find_keys(tokens.block(), positions, records, true);
    const FoundKeys without = find_keys(tokens.block(), positions, records, false);
    EXPECT_EQ(with.table_was_full, is_full) << vocabulary;
    EXPECT_FALSE(without.table_was_full);
    EXPECT_TRUE(with.terms_and_documents == without.terms_and_documents) << vocabulary;
    EXPECT_TRUE(with.positions == without.positions) << vocabulary;
    EXPECT_GT(with.terms_and_documents.size(), 10000U);
    EXPECT_TRUE(std::ranges::is_sorted(with.terms_and_documents));
  }
}

TEST(TableTrialsTest, LeavesTheTableOutForSomeBlocksAfterOneThatFillsIt) {
  TableTrials trials;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(trials.next());
    trials.tell(false);
  }
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(trials.next());
    trials.tell(true);
    for (unsigned i = 0; i < TableTrials::kBlocksWithout; ++i) {
      EXPECT_FALSE(trials.next());
      trials.tell(false);
    }
  }
  EXPECT_TRUE(trials.next());
}

// A sorter that is stable, and one that is not.
INSTANTIATE_TEST_SUITE_P(, KeysOfTokensTest,
                         ::testing::Combine(::testing::Values(Positions::kNone, Positions::kStored),
                                            ::testing::Values("cpu-radix", "cpu-quick")),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param) == Positions::kNone ? "Plain" : "Positions") +
                                  (std::get<1>(tested.param) == std::string_view("cpu-radix") ? "Stable" : "NotStable");
                         });

}  // namespace
}  // namespace spillway
