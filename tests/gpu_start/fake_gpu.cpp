#include "tests/gpu_start/fake_gpu.hpp"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "indexer/gpu/merge/gpu_batches.hpp"
#include "indexer/gpu/sorter/gpu_lanes.hpp"
#include "io/memory/budget.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/sorters.hpp"
#include "tests/support/host_gpu/host_batches.hpp"
#include "tests/support/host_gpu/host_lanes.hpp"

namespace spillway::testing {

FakeGpu& fake_gpu() {
  static FakeGpu gpu;
  return gpu;
}

namespace {

HostLaneOptions host_options(const GpuSorterOptions& options) {
  HostLaneOptions host;
  host.form = options.form;
  host.arena_bytes = options.arena_bytes;
  host.lanes = options.all_lanes();
  host.arenas = options.arenas;
  if (options.form != ChunkForm::kTokens) host.records = find_record_sorter("cpu-radix");
  host.strings = find_string_sorter("cpu-msd");
  host.lists_stay = options.staying.merges_always && options.staying.text_bytes != 0;
  return host;
}

// Arenas are reserved, and hardly touched.
MemoryBudget& device() {
  static MemoryBudget budget(std::size_t{1} << 40);
  return budget;
}

class LanesWithoutTables final : public BatchLanes {
 public:
  void begin(const BatchMergeSource&) override { throw GpuError("the test's GPU takes no tables", true); }
  std::unique_ptr<BatchLane> take() noexcept override { return nullptr; }
  void fail(const std::string&) noexcept override {}
};

}  // namespace

std::unique_ptr<BatchLanes> make_fake_batches(const GpuBatchOptions& options) {
  ++fake_gpu().merges;
  if (fake_gpu().fault == StartFault::kMerge) throw GpuMemoryError("the test's GPU has no room for lists");
  if (fake_gpu().fault == StartFault::kTables) return std::make_unique<LanesWithoutTables>();
  return std::make_unique<HostBatchLanes>(wide_batch_limits(options.limits.distance_bytes != 0), options.lanes,
                                          BatchLimits(), std::size_t{1} << 40, options.held);
}

}  // namespace spillway::testing

using spillway::testing::fake_gpu;
using spillway::testing::StartFault;

extern "C" {

bool __wrap__ZN8spillway14has_gpu_driverEv() { return true; }

bool __wrap__ZN8spillway13has_gpu_nodesERKSt6vectorIiSaIiEE(const std::vector<int>& ids) {
  const int nodes = fake_gpu().nodes == 0 ? fake_gpu().count : fake_gpu().nodes;
  return std::all_of(ids.begin(), ids.end(), [&](int id) { return id < nodes; });
}

spillway::GpuStatus __wrap__ZN8spillway9find_gpusEv() {
  ++fake_gpu().asked;
  std::this_thread::sleep_for(fake_gpu().start_time);
  spillway::GpuStatus status;
  status.state = spillway::GpuState::kUsable;
  if (fake_gpu().fault == StartFault::kNoDevice) {
    status.state = spillway::GpuState::kNoDevice;
    status.detail = "the test has hidden its GPU";
    return status;
  }
  for (int id = 0; id < fake_gpu().count; ++id) {
    spillway::GpuInfo& gpu = status.gpus.emplace_back();
    gpu.id = id;
    gpu.name = "the test's GPU";
    gpu.major = 9;
    gpu.memory_bytes = std::size_t{64} << 30;
  }
  return status;
}

std::size_t __wrap__ZN8spillway17free_device_bytesEi(int gpu) {
  if (fake_gpu().fault == StartFault::kContext && gpu == fake_gpu().faulty)
    throw spillway::GpuError("the test's GPU makes no context", true);
  return fake_gpu().free_bytes;
}

std::size_t __wrap__ZN8spillway23block_pass_device_bytesERKNS_13BlockPassSizeERKNS_16GpuSorterOptionsE(
    const spillway::BlockPassSize& size, const spillway::GpuSorterOptions& options) {
  return spillway::testing::host_pass_bytes(size, spillway::testing::host_options(options));
}

spillway::GpuLanes __wrap__ZN8spillway14make_gpu_lanesERKNS_16GpuSorterOptionsERNS_12MemoryBudgetE(
    const spillway::GpuSorterOptions& options, spillway::MemoryBudget&) {
  if (fake_gpu().fault == StartFault::kArena) throw spillway::GpuMemoryError("the test's GPU is full");
  return spillway::testing::make_host_lanes(spillway::testing::host_options(options), spillway::testing::device());
}

std::unique_ptr<spillway::BatchLanes>
__wrap__ZN8spillway20make_gpu_batch_lanesERKNS_15GpuBatchOptionsERNS_12MemoryBudgetE(
    const spillway::GpuBatchOptions& options, spillway::MemoryBudget&) {
  return spillway::testing::make_fake_batches(options);
}

}  // extern "C"
