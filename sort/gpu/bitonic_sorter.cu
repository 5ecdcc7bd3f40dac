#include "sort/gpu/bitonic_sorter.hpp"

#include "sort/gpu/bitonic_device_block.cuh"
#include "sort/gpu/bitonic_plan.hpp"
#include "sort/gpu/cuda_check.cuh"

namespace spillway {

namespace {

using bitonic::kTileThreads;

constexpr int kSharedBytes = bitonic::kTileKeys * sizeof(std::uint64_t);
constexpr int kBlocksPerMultiprocessor = 2;  // of 128 registers a thread: one loads while the other computes

extern __shared__ __align__(16) std::uint64_t tile_memory[];

__global__ __launch_bounds__(kTileThreads, kBlocksPerMultiprocessor) void tile_sort_kernel(bitonic::TilePass pass) {
  bitonic::DeviceBlock block(tile_memory);
  run_tile_sort(block, pass, blockIdx.x);
}

__global__ __launch_bounds__(kTileThreads, kBlocksPerMultiprocessor) void tile_merge_kernel(bitonic::TilePass pass) {
  bitonic::DeviceBlock block(tile_memory);
  run_tile_merge(block, pass, blockIdx.x);
}

template <bool kMirrored>
__global__ __launch_bounds__(kTileThreads,
                             kBlocksPerMultiprocessor) void register_superstep_kernel(bitonic::Superstep pass) {
  bitonic::DeviceBlock block(nullptr);
  bitonic::run_register_superstep<kMirrored>(block, pass, blockIdx.x);
}

template <bool kMirrored>
__global__ __launch_bounds__(kTileThreads,
                             kBlocksPerMultiprocessor) void shared_superstep_kernel(bitonic::Superstep pass) {
  bitonic::DeviceBlock block(tile_memory);
  bitonic::run_shared_superstep<kMirrored>(block, pass, blockIdx.x);
}

template <typename Argument>
void launch(void (*kernel)(Argument), int shared_bytes, Argument pass, std::size_t tiles, cudaStream_t stream) {
  if (shared_bytes > 0) {
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  }
  kernel<<<static_cast<unsigned>(tiles), kTileThreads, static_cast<std::size_t>(shared_bytes), stream>>>(pass);
  check_launch();
}

void launch(const bitonic::Pass& pass, std::uint64_t* d_keys, cudaStream_t stream) {
  switch (pass.kind) {
    case bitonic::Pass::Kind::kTileSort:
      return launch(tile_sort_kernel, kSharedBytes, pass.tile_pass(d_keys), pass.tiles(), stream);
    case bitonic::Pass::Kind::kTileMerge:
      return launch(tile_merge_kernel, kSharedBytes, pass.tile_pass(d_keys), pass.tiles(), stream);
    case bitonic::Pass::Kind::kSuperstep:
      break;
  }
  if (pass.steps > bitonic::kRegisterSuperstep) {
    launch(pass.mirrored ? shared_superstep_kernel<true> : shared_superstep_kernel<false>, kSharedBytes,
           pass.superstep(d_keys), pass.tiles(), stream);
  } else {
    launch(pass.mirrored ? register_superstep_kernel<true> : register_superstep_kernel<false>, 0,
           pass.superstep(d_keys), pass.tiles(), stream);
  }
}

}  // namespace

std::uint64_t* GpuBitonicSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t*,
                                      GpuStreamHandle stream) const {
  for (const bitonic::Pass& pass : bitonic::plan_passes(count, bits)) launch(pass, d_keys, stream);
  return d_keys;
}

}  // namespace spillway
