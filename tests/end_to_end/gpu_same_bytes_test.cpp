// The index is the same bytes whether blocks are sorted on the CPU or on a GPU: each mode, each sorter, little device
// memory, several visits. And where there is no GPU, a GPU mode gives them too, and says that the CPU did it.
#include "sort/gpu/device_record_sorter.hpp"
#include "sort/gpu/device_string_sorter.hpp"
#include "sort/gpu/gpu_status.hpp"
#include "tests/end_to_end/same_bytes.hpp"
#include "tests/support/corpora_path.hpp"

namespace spillway {
namespace {

using testing::SameBytes;

class GpuSameBytes : public SameBytes, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    const GpuStatus status = find_gpus();
    if (status.state != GpuState::kUsable) GTEST_SKIP() << status.detail;
    content_options_.positions = GetParam();
  }

  IndexOptions gpu_job(IndexMode mode) const {
    IndexOptions options = job({scratch_ / "in"});
    options.mode = mode;
    options.gpu.required = true;
    options.memory_bytes = std::uint64_t{1} << 30;
    return options;
  }

  // All blocks were sorted there.
  void expect_same_on_gpu(const IndexOptions& options) {
    const IndexReport report = expect_same(options);
    EXPECT_EQ(report.cpu_blocks, 0u);
    EXPECT_EQ(report.gpu_blocks, report.blocks);
    EXPECT_GT(report.blocks, 0u);
  }
};
INSTANTIATE_TEST_SUITE_P(Gpu, GpuSameBytes, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "WithPositions" : "WithoutPositions"; });

TEST_P(GpuSameBytes, InBothModesWithEachSorter) {
  set_random_corpus(31, 400);
  for (const IndexMode mode : {IndexMode::kGpu, IndexMode::kGpuPlus}) {
    for (const RecordSorter* records : gpu_record_sorters()) {
      for (const StringSorter* strings : gpu_string_sorters()) {
        IndexOptions options = gpu_job(mode);
        options.record_sorter = records->name();
        options.string_sorter = strings->name();
        options.block_bytes = 40000;
        SCOPED_TRACE(options.record_sorter + " with " + options.string_sorter);
        expect_same_on_gpu(options);
      }
    }
  }
}

TEST_P(GpuSameBytes, WithAnyDeviceMemoryThreadsAndBlocks) {
  set_random_corpus(32, 2000);
  for (const std::uint64_t mebibytes : {64, 100, 1000, 0}) {
    for (const unsigned threads : {1U, 3U, 8U}) {
      for (const std::uint64_t block_bytes : {0, 3000, 200000}) {
        IndexOptions options = gpu_job(IndexMode::kGpuPlus);
        options.gpu.memory_bytes = mebibytes << 20;
        options.threads = threads;
        options.block_bytes = block_bytes;
        SCOPED_TRACE(::testing::Message() << mebibytes << " MiB, " << threads << " threads, blocks " << block_bytes);
        expect_same_on_gpu(options);
      }
    }
  }
}

TEST_P(GpuSameBytes, OnEveryGpuTogether) {
  set_random_corpus(33, 1000);
  IndexOptions options = gpu_job(IndexMode::kGpuPlus);
  for (const GpuInfo& gpu : find_gpus().gpus) options.gpu.ids.push_back(gpu.id);
  options.block_bytes = 20000;
  expect_same_on_gpu(options);
}

TEST_P(GpuSameBytes, OfStoredTexts) {
  set_corpus_with_texts(34);
  IndexOptions options = gpu_job(IndexMode::kGpuPlus);
  options.block_bytes = 50000;
  expect_same_on_gpu(options);
}

// What has no GPU (or hides it) sorts on the CPU.
TEST_F(SameBytes, InGpuModesWithoutAGpu) {
  if (find_gpus().state == GpuState::kUsable) GTEST_SKIP() << "there is a GPU";
  set_random_corpus(35, 300);
  for (const IndexMode mode : {IndexMode::kGpu, IndexMode::kGpuPlus}) {
    for (const std::uint64_t block_bytes : {0, 20000}) {
      IndexOptions options = job({scratch_ / "in"});
      options.mode = mode;
      options.block_bytes = block_bytes;
      const IndexReport report = expect_same(options);
      EXPECT_EQ(report.gpu_blocks, 0u);
      EXPECT_EQ(report.cpu_blocks, report.blocks);
      EXPECT_EQ(report.gpu_failure, find_gpus().detail);
    }
  }
}

}  // namespace
}  // namespace spillway
