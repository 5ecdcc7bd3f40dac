// The host memory that a lane of a merge collects its batches in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "indexer/gpu/merge/batch_memory.hpp"

namespace spillway {

// Two buffers that lists come down through, one while the other is copied.
inline constexpr std::size_t kBatchStagingBytes = std::size_t{8} << 20;

// The arrays in memory of batch_host_bytes(), which is aligned to kDeviceAlignment.
BatchArrays batch_arrays(std::uint8_t* memory, const BatchLimits& limits);
std::size_t batch_host_bytes(const BatchLimits& limits);

}  // namespace spillway
