#include "indexer/gpu/host_visit.hpp"

#include <gtest/gtest.h>

#include "indexer/run_output.hpp"
#include "sort/gpu/gpu_error.hpp"
#include "sort/gpu/gpu_faults.hpp"
#include "tests/indexer/gpu/visit_blocks.hpp"

namespace spillway {
namespace {

using testing::cpu_run;
using testing::kTestBudget;
using testing::NamedBlock;
using testing::size_of;
using testing::visited_run;

struct HostSorters {
  const RecordSorter& records;
  const StringSorter& strings;
};

// Of each kind: a stable sorter that needs scratch, and one that is neither.
std::vector<HostSorters> host_sorters() {
  return {{*find_record_sorter("cpu-radix"), *find_string_sorter("cpu-multikey")},
          {*find_record_sorter("cpu-quick"), *find_string_sorter("cpu-msd")}};
}

std::unique_ptr<GpuBlockSorter> make_visitor(std::size_t arena_bytes, const HostSorters& sorters,
                                             MemoryBudget& budget) {
  return make_host_block_visitor({arena_bytes, 1, &sorters.records, &sorters.strings}, budget);
}

void expect_same_runs(const NamedBlock& named) {
  SCOPED_TRACE(named.name);
  const std::string expected = cpu_run(named);
  for (const HostSorters& sorters : host_sorters()) {
    // An arena of exactly what is said to be needed.
    MemoryBudget budget(kTestBudget);
    const auto visitor =
        make_visitor(host_visit_bytes(size_of(named), sorters.records, sorters.strings), sorters, budget);
    EXPECT_TRUE(visited_run(*visitor, named) == expected) << sorters.records.name();
  }
}

class HostVisit : public ::testing::TestWithParam<Positions> {};

TEST_P(HostVisit, GivesTheRunOfTheCpu) { testing::take_visit_test_blocks(GetParam(), 40, expect_same_runs); }

TEST_P(HostVisit, GivesTheRunOfTheCpuForLongLists) { testing::take_long_lists(GetParam(), expect_same_runs); }

// The sum of the block, which is checked, says that no list is left out between ranges.
TEST_P(HostVisit, GivesTheRunOfTheCpuForManyRanges) {
  std::size_t most = 0;
  testing::take_many_ranges(GetParam(), [&](const NamedBlock& named) {
    most = std::max<std::size_t>(most, size_of(named).occurrences);
    expect_same_runs(named);
  });
  EXPECT_GT(most, 2 * kRangeOccurrences);
}

TEST_P(HostVisit, TakesBlockAfterBlock) {
  MemoryBudget budget(kTestBudget);
  const auto visitor = make_visitor(std::size_t{64} << 20, host_sorters()[0], budget);
  const std::size_t used = budget.used_bytes();
  for (const std::uint64_t seed : {3, 4, 5}) {
    testing::take_random_blocks(seed, GetParam(), [&](const NamedBlock& named) {
      EXPECT_TRUE(visited_run(*visitor, named) == cpu_run(named)) << named.name;
    });
  }
  EXPECT_EQ(budget.used_bytes(), used);
}

TEST_P(HostVisit, RefusesABlockThatDoesNotFitItsArenaAndGoesOnWithOthers) {
  const HostSorters sorters = host_sorters()[0];
  testing::take_random_blocks(1, GetParam(), [&](const NamedBlock& named) {
    MemoryBudget budget(kTestBudget);
    const std::size_t bytes = host_visit_bytes(size_of(named), sorters.records, sorters.strings);
    const auto visitor = make_visitor(bytes - 1, sorters, budget);
    EXPECT_THROW(visitor->begin(named.block, named.options.positions), GpuMemoryError);
    NamedBlock empty{"empty", {}, named.options};
    EXPECT_TRUE(visited_run(*visitor, empty) == cpu_run(empty));
  });
}

TEST_P(HostVisit, RefusesABlockWhoseListsDoNotFitTheBudget) {
  const HostSorters sorters = host_sorters()[0];
  testing::take_random_blocks(1, GetParam(), [&](const NamedBlock& named) {
    const std::size_t bytes = host_visit_bytes(size_of(named), sorters.records, sorters.strings);
    MemoryBudget budget(bytes);
    const auto visitor = make_visitor(bytes, sorters, budget);
    EXPECT_THROW(visitor->begin(named.block, named.options.positions), GpuMemoryError);
    EXPECT_EQ(budget.used_bytes(), bytes);
  });
}

// Whatever call fails, nothing is written and nothing kept, and the next block's run is right.
TEST_P(HostVisit, EndsCleanlyWhateverCallFails) {
  testing::take_random_blocks(1, GetParam(), [&](const NamedBlock& named) {
    std::uint64_t failed = 0;
    for (bool fired = true; fired; failed += fired ? 1 : 0) {
      MemoryBudget budget(kTestBudget), file_budget(kTestBudget);
      MemoryFile file(file_budget, "run");
      fail_gpu_call(failed + 1);
      std::unique_ptr<GpuBlockSorter> visitor;
      try {
        visitor = make_visitor(std::size_t{1} << 20, host_sorters()[0], budget);
        BlockSortFigures figures;
        visitor->begin(named.block, named.options.positions)->write_run(file, named.options, figures);
      } catch (const GpuMemoryError&) {
        EXPECT_EQ(file.size(), 0U);
      }
      fired = gpu_faults_fired() != 0;
      EXPECT_EQ(fired, file.size() == 0);
      fail_gpu_call(0);
      if (visitor != nullptr) {
        EXPECT_EQ(budget.used_bytes(), std::size_t{1} << 20);
        EXPECT_TRUE(visited_run(*visitor, named) == cpu_run(named)) << failed;
        visitor.reset();
      }
      EXPECT_EQ(budget.used_bytes(), 0U);
    }
    EXPECT_GT(failed, 15U);
  });
}

TEST_P(HostVisit, SaysThatTheGpuIsLostUntilTheEnd) {
  testing::take_random_blocks(1, GetParam(), [&](const NamedBlock& named) {
    MemoryBudget budget(kTestBudget);
    const auto visitor = make_visitor(std::size_t{1} << 20, host_sorters()[0], budget);
    fail_gpu_call(5, GpuFault::kLost);
    for (int i = 0; i < 2; ++i) {
      try {
        visitor->begin(named.block, named.options.positions);
        ADD_FAILURE() << "no error";
      } catch (const GpuError& error) {
        EXPECT_TRUE(error.is_lost);
      }
    }
    EXPECT_EQ(gpu_faults_fired(), 2U);
    fail_gpu_call(0);
  });
}

INSTANTIATE_TEST_SUITE_P(, HostVisit, ::testing::Values(Positions::kNone, Positions::kStored),
                         [](const auto& test) { return test.param == Positions::kNone ? "Plain" : "Positions"; });

TEST(VisitSize, OfASumNeedsNoMoreThanItsParts) {
  const HostSorters sorters = host_sorters()[0];
  for (const bool positions : {false, true}) {
    const VisitSize a{3, 1000, 7003, 12345, 77, positions};
    const VisitSize b{1, 9, 40, 80001, 2, positions};
    VisitSize sum = a;
    sum += b;
    const auto bytes = [&](const VisitSize& size) { return host_visit_bytes(size, sorters.records, sorters.strings); };
    EXPECT_LE(bytes(sum), bytes(a) + bytes(b));
    EXPECT_GT(bytes(sum), bytes(a));
  }
}

}  // namespace
}  // namespace spillway
