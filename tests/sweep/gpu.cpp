// A GPU for the sweep: the linker gives these functions the calls of the program (tests/CMakeLists.txt). There is one
// device of 64 MiB, whose lanes work on the host.
#include <memory>
#include <string>
#include <vector>

#include "indexer/gpu/sorter/gpu_lanes.hpp"
#include "io/memory/budget.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/sorters.hpp"
#include "tests/support/host_gpu/host_lanes.hpp"
#include "tests/sweep/requests.hpp"

using spillway::BlockPassSize;
using spillway::GpuLane;
using spillway::GpuSorterOptions;
using spillway::GpuState;
using spillway::GpuStatus;
using spillway::MemoryBudget;

namespace {

constexpr std::size_t kDeviceBytes = std::size_t{64} << 20;

spillway::testing::HostLaneOptions host_options(const GpuSorterOptions& options) {
  spillway::testing::HostLaneOptions host;
  host.form = options.form;
  host.arena_bytes = options.arena_bytes;
  host.lanes = options.lanes;
  host.arenas = options.arenas;
  if (options.form != spillway::ChunkForm::kTokens) host.records = spillway::find_record_sorter("cpu-radix");
  host.strings = spillway::find_string_sorter("cpu-msd");
  return host;
}

// What lanes hold, on the host, beside the memory of the job.
MemoryBudget& device() {
  static MemoryBudget budget(4 * kDeviceBytes);
  return budget;
}

}  // namespace

extern "C" {

GpuStatus __wrap__ZN8spillway9find_gpusEv() {
  GpuStatus status;
  status.state = GpuState::kUsable;
  status.gpus.push_back({.name = "the sweep's GPU",
                         .major = 9,
                         .minor = 0,
                         .memory_bytes = kDeviceBytes,
                         .multiprocessors = 1,
                         .pci_address = "0"});
  return status;
}

std::size_t __wrap__ZN8spillway17free_device_bytesEi(int) { return kDeviceBytes; }

void __wrap__ZN8spillway14count_gpu_callEv() {
  using namespace spillway::sweep;
  if (refuses(Resource::kDevice)) throw spillway::GpuMemoryError("the sweep refuses this call of the GPU");
}

std::size_t __wrap__ZN8spillway23block_pass_device_bytesERKNS_13BlockPassSizeERKNS_16GpuSorterOptionsE(
    const BlockPassSize& size, const GpuSorterOptions& options) {
  return spillway::testing::host_pass_bytes(size, host_options(options));
}

std::vector<std::unique_ptr<GpuLane>> __wrap__ZN8spillway14make_gpu_lanesERKNS_16GpuSorterOptionsERNS_12MemoryBudgetE(
    const GpuSorterOptions& options, MemoryBudget&) {
  return spillway::testing::make_host_lanes(host_options(options), device());
}

}  // extern "C"
