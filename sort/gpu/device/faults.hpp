// Faults of the GPU for tests: the nth call from now on that takes memory, copies, or waits fails
// (sort/gpu/device/memory.hpp; and the launches of a visit).
#pragma once

#include <cstdint>

namespace spillway {

enum class GpuFault : std::uint8_t {
  kMemory,  // GpuMemoryError; the next call may succeed
  kLost     // GpuError, lost; every call behind it fails too
};

// Call number `nth` from now on, over all threads, fails; 0: none does any more.
void fail_gpu_call(std::uint64_t nth, GpuFault fault = GpuFault::kMemory);
// How many have failed since.
std::uint64_t gpu_faults_fired();

// Counts a call; throws the error if it is the one to fail.
void count_gpu_call();

}  // namespace spillway
