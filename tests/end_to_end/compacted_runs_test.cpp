// Tests jobs whose blocks are so small that runs are compacted while parsing continues, and whose documents are so long
// that runs and compactions begin and end inside them: the index is that of a job with one block.
#include "tests/end_to_end/host_gpu_job.hpp"

namespace spillway {
namespace {

using testing::HostGpuSetting;
using testing::SameBytes;

struct JoinCase {
  bool positions;
  StorePolicy store;
};

class CompactedRuns : public SameBytes, public ::testing::WithParamInterface<JoinCase> {
 protected:
  CompactedRuns() {
    content_options_.positions = GetParam().positions;
    content_options_.store = GetParam().store;
  }

  IndexOptions small_blocks() const {
    IndexOptions options = job({scratch_ / "in"});
    options.block_bytes = 1000;
    options.memory_bytes = std::uint64_t{2} << 30;
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(, CompactedRuns,
                         ::testing::Values(JoinCase{false, StorePolicy::kMeta}, JoinCase{true, StorePolicy::kMeta},
                                           JoinCase{false, StorePolicy::kText}, JoinCase{true, StorePolicy::kText}),
                         [](const auto& tested) {
                           return std::string(tested.param.store == StorePolicy::kText ? "Texts" : "NoTexts") +
                                  (tested.param.positions ? "WithPositions" : "WithoutPositions");
                         });

TEST_P(CompactedRuns, GiveTheIndexOfOneBlock) {
  set_long_documents(1);
  for (const IndexMode mode : {IndexMode::kCpu, IndexMode::kCpuPlus}) {
    for (const char* const sorter : {"cpu-chunk", "cpu-radix"}) {
      for (const unsigned threads : {1U, 4U}) {
        IndexOptions options = small_blocks();
        options.mode = mode;
        options.record_sorter = sorter;
        options.threads = threads;
        SCOPED_TRACE(std::string(sorter) + ", threads " + std::to_string(threads));
        const IndexReport report = expect_same(options);
        EXPECT_GT(report.compactions, 5U);
        EXPECT_GT(report.blocks, 10 * report.documents);
        EXPECT_EQ(report.runs_spilled, 0U);
      }
    }
  }
}

// Jobs whose blocks are sorted by lanes.
class CompactedGpuRuns : public testing::HostGpuJob {
 protected:
  // Enough memory for all runs, however long compactions take.
  static constexpr std::size_t kMuchMemory = std::size_t{1} << 30;

  // A setting in which many runs are compacted at a time.
  static HostGpuSetting many_runs(unsigned lanes, std::size_t run_memory_bytes) {
    HostGpuSetting setting;
    setting.block_bytes = 2000;
    setting.lanes = lanes;
    setting.arenas = (lanes + 1) / 2;
    setting.threads = 1 + lanes % 3;
    setting.memory_bytes = std::size_t{2} << 30;
    setting.run_memory_bytes = run_memory_bytes;
    setting.compaction_bytes = std::size_t{64} << 20;
    return setting;
  }
};
INSTANTIATE_TEST_SUITE_P(, CompactedGpuRuns, ::testing::ValuesIn(testing::host_gpu_cases()),
                         testing::host_gpu_case_name);

// Compactions begin and end inside documents.
TEST_P(CompactedGpuRuns, GiveTheIndexOfTheCpu) {
  for (const StorePolicy store : {StorePolicy::kMeta, StorePolicy::kText}) {
    content_options_.store = store;
    set_long_documents(store == StorePolicy::kText ? 48 : 49);
    for (const unsigned lanes : {1U, 2U, 5U}) {
      SCOPED_TRACE(lanes);
      const BlockStats stats = expect_same_with(many_runs(lanes, kMuchMemory));
      EXPECT_EQ(stats.cpu_blocks, 0U) << stats.gpu_failure;
      EXPECT_GT(stats.gpu_blocks, 10 * documents_.size());
      EXPECT_GT(stats.compaction.compactions, 3U);
      EXPECT_EQ(spilled_bytes_, 0U);
    }
  }
}

// Memory is short: runs wait for compactions or are spilled, and compacted runs are spilled too.
TEST_P(CompactedGpuRuns, GiveTheIndexOfTheCpuWhereFewFitMemory) {
  set_long_documents(50);
  std::uint64_t compactions = 0, spilled_bytes = 0;
  for (const unsigned lanes : {1U, 2U, 5U}) {
    SCOPED_TRACE(lanes);
    compactions += expect_same_with(many_runs(lanes, std::size_t{1536} << 10)).compaction.compactions;
    spilled_bytes += spilled_bytes_;
  }
  EXPECT_GT(compactions, 0U);
  EXPECT_GT(spilled_bytes, 0U);
}

// The runs of the GPU and, once it is lost, the several runs that the CPU makes of each block are put in order.
TEST_P(CompactedGpuRuns, GiveTheIndexOfTheCpuWhereSomeAreLost) {
  set_long_documents(51);
  HostGpuSetting setting = many_runs(3, std::size_t{64} << 20);
  setting.fault = GpuFault::kLost;
  setting.failing_call = 1500;
  const BlockStats stats = expect_same_with(setting);
  EXPECT_GT(stats.gpu_blocks, kMostCompactedRuns);
  EXPECT_GT(stats.cpu_blocks, kMostCompactedRuns);
  EXPECT_GT(stats.compaction.compactions, 3U);
}

}  // namespace
}  // namespace spillway
