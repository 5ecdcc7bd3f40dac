#include "indexer/gpu/sorter/gpu_lanes.hpp"

#include <future>

#include "indexer/gpu/pipeline/cuda_executor.cuh"
#include "indexer/gpu/pipeline/executor_lane.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/registry.hpp"

namespace spillway {

namespace {

const DeviceRecordSorter& record_sorter(const GpuSorterOptions& options) {
  const std::string name = options.form == ChunkForm::kTokens ? "gpu-radix" : options.record_sorter;
  const DeviceRecordSorter* const sorter = find_device_record_sorter(name);
  if (sorter == nullptr) throw UsageError("no GPU sorter of records has the name " + name);
  return *sorter;
}

const DeviceStringSorter& string_sorter(const std::string& name) {
  const DeviceStringSorter* const sorter = find_device_string_sorter(name);
  if (sorter == nullptr) throw UsageError("no GPU sorter of strings has the name " + name);
  return *sorter;
}

// Lets threads that wait for the GPU sleep: the processors have other work.
void wait_without_spinning(int gpu) {
  cuda_check(cudaSetDevice(gpu));
  cuda_check(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
}

std::shared_ptr<SharedGpu> make_shared_gpu(int gpu, const GpuSorterOptions& options) {
  wait_without_spinning(gpu);
  std::vector<DeviceBuffer> arenas;
  for (unsigned i = 0; i < options.arenas; ++i) arenas.emplace_back(gpu, options.arena_bytes);
  const std::size_t hold_bytes = options.holds_lists ? free_device_bytes(gpu) / 2 : 0;
  const StayingRule staying = options.staying.list_bytes <= hold_bytes ? options.staying : StayingRule();
  return std::make_shared<SharedGpu>(gpu, std::move(arenas), hold_bytes, staying);
}

// All at the same time, where the system starts a thread for each.
std::vector<std::shared_ptr<SharedGpu>> make_shared_gpus(const GpuSorterOptions& options) {
  std::vector<std::future<std::shared_ptr<SharedGpu>>> made;
  for (std::size_t i = 1; i < options.gpus.size(); ++i) {
    made.push_back(std::async([&options, gpu = options.gpus[i]] { return make_shared_gpu(gpu, options); }));
  }
  std::vector<std::shared_ptr<SharedGpu>> shared{make_shared_gpu(options.gpus.front(), options)};
  for (auto& gpu : made) shared.push_back(gpu.get());
  return shared;
}

}  // namespace

std::size_t block_pass_device_bytes(const BlockPassSize& size, const GpuSorterOptions& options) {
  if (options.gpus.empty()) throw GpuError("no GPU to sort blocks on");
  cuda_check(cudaSetDevice(options.gpus.front()));
  return pass_bytes(size, CudaExecutor::scratch_of(size, record_sorter(options), string_sorter(options.string_sorter)),
                    options.form);
}

std::vector<std::unique_ptr<GpuLane>> make_gpu_lanes(const GpuSorterOptions& options, MemoryBudget& budget) {
  if (options.gpus.empty()) throw GpuError("no GPU to sort blocks on");
  const std::size_t staging_bytes = options.staging_bytes / options.all_lanes();
  if (staging_bytes < CudaExecutor::kMinStagingBytes) {
    throw GpuMemoryError("sorting blocks on a GPU needs " + std::to_string(CudaExecutor::kMinStagingBytes) +
                         " bytes of pinned memory for each, and has " + std::to_string(staging_bytes) +
                         ": raise --memory");
  }
  const std::vector<std::shared_ptr<SharedGpu>> shared = make_shared_gpus(options);
  const auto pinned = std::make_shared<PinnedRegistry>(options.gpus.size() == 1 ? LockTurn::kWait : LockTurn::kPack);
  std::vector<std::unique_ptr<GpuLane>> lanes;
  for (unsigned lane = 0; lane < options.lanes; ++lane) {
    for (std::size_t g = 0; g < options.gpus.size(); ++g) {
      lanes.push_back(std::make_unique<ExecutorLane<CudaExecutor>>(
          options.form, CudaExecutorSetup{options.gpus[g], shared[g], staging_bytes, record_sorter(options),
                                          string_sorter(options.string_sorter), pinned, budget}));
    }
  }
  return lanes;
}

}  // namespace spillway
