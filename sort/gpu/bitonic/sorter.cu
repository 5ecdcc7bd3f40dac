#include "sort/gpu/bitonic/sorter.hpp"

#include "sort/gpu/bitonic/device_block.cuh"
#include "sort/gpu/bitonic/plan.hpp"
#include "sort/gpu/bitonic/superstep_run.hpp"
#include "sort/gpu/device/cuda_check.hpp"

namespace spillway {

namespace {

using bitonic::kTileThreads;

constexpr int kSharedBytes = bitonic::kTileKeys * sizeof(std::uint64_t);
constexpr int kBlocksPerMultiprocessor = 2;  // with 128 registers a thread; one loads while the other computes

extern __shared__ __align__(16) std::uint64_t tile_memory[];

__global__ __launch_bounds__(kTileThreads, kBlocksPerMultiprocessor) void tile_sort_kernel(bitonic::TilePass pass) {
  bitonic::DeviceBlock block(tile_memory);
  run_tile_sort(block, pass, blockIdx.x);
}

__global__ __launch_bounds__(kTileThreads, kBlocksPerMultiprocessor) void tile_merge_kernel(bitonic::TilePass pass) {
  bitonic::DeviceBlock block(tile_memory);
  run_tile_merge(block, pass, blockIdx.x);
}

template <bool kMirrored, bool kExchange>
__global__ __launch_bounds__(kTileThreads, kBlocksPerMultiprocessor) void superstep_kernel(bitonic::Superstep pass) {
  bitonic::DeviceBlock block(kExchange ? tile_memory : nullptr);
  bitonic::run_superstep<kMirrored, kExchange>(block, pass, blockIdx.x);
}

template <bool kExchange>
__global__ __launch_bounds__(kTileThreads, kBlocksPerMultiprocessor) void turn_kernel(bitonic::Superstep pass) {
  bitonic::DeviceBlock block(tile_memory);
  bitonic::run_turn<kExchange>(block, pass, blockIdx.x);
}

template <typename Argument>
void launch(void (*kernel)(Argument), int shared_bytes, Argument pass, std::size_t tiles, cudaStream_t stream) {
  if (shared_bytes > 0) {
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  }
  kernel<<<static_cast<unsigned>(tiles), kTileThreads, static_cast<std::size_t>(shared_bytes), stream>>>(pass);
  check_launch();
}

template <bool kExchange>
void launch_superstep(const bitonic::Pass& pass, std::uint64_t* d_keys, cudaStream_t stream) {
  const bitonic::Superstep superstep = pass.superstep(d_keys);
  if (pass.kind == bitonic::Pass::Kind::kTurn) {
    return launch(turn_kernel<kExchange>, kSharedBytes, superstep, pass.tiles(), stream);
  }
  launch(pass.mirrored ? superstep_kernel<true, kExchange> : superstep_kernel<false, kExchange>,
         kExchange ? kSharedBytes : 0, superstep, pass.tiles(), stream);
}

void launch(const bitonic::Pass& pass, std::uint64_t* d_keys, cudaStream_t stream) {
  switch (pass.kind) {
    case bitonic::Pass::Kind::kTileSort:
      return launch(tile_sort_kernel, kSharedBytes, pass.tile_pass(d_keys), pass.tiles(), stream);
    case bitonic::Pass::Kind::kTileMerge:
      return launch(tile_merge_kernel, kSharedBytes, pass.tile_pass(d_keys), pass.tiles(), stream);
    case bitonic::Pass::Kind::kSuperstep:
    case bitonic::Pass::Kind::kTurn:
      break;
  }
  if (pass.steps > bitonic::kRegisterSuperstep) return launch_superstep<true>(pass, d_keys, stream);
  launch_superstep<false>(pass, d_keys, stream);
}

}  // namespace

std::uint64_t* GpuBitonicSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t*,
                                      GpuStreamHandle stream) const {
  for (const bitonic::Pass& pass : bitonic::plan_passes(count, bits)) launch(pass, d_keys, stream);
  return d_keys;
}

}  // namespace spillway
