// A block's visit without a GPU: the same steps, on the host. For tests of everything but the kernels' launches.
#pragma once

#include "indexer/gpu/sorter/block_sorter.hpp"

namespace spillway {

struct HostBlockPassOptions {
  ChunkForm form = ChunkForm::kTables;
  std::size_t arena_bytes = 0;  // of each share; paid from the budget
  unsigned visits = 2, shares = 2;
  const RecordSorter* records = nullptr;  // of the CPU; kTokens: none
  const StringSorter* strings = nullptr;
};

std::unique_ptr<GpuBlockSorter> make_host_block_sorter(const HostBlockPassOptions& options, MemoryBudget& budget);

// As block_pass_device_bytes(). Of the options it reads form and sorters.
std::size_t host_pass_bytes(const BlockPassSize& size, const HostBlockPassOptions& options);

}  // namespace spillway
