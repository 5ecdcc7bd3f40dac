// Injects GPU faults for tests: makes the nth call from now on fail. Counted are allocations, copies and waits
// (sort/gpu/device/memory.hpp), and the launches of a block pass.
#pragma once

#include <cstdint>

namespace spillway {

enum class GpuFault : std::uint8_t {
  kMemory,  // GpuMemoryError; the next call may succeed
  kLost     // GpuError with is_lost; every later call fails too
};

// Makes call number `nth` from now on fail, counted over all threads; 0: ends the injection.
void fail_gpu_call(std::uint64_t nth, GpuFault fault = GpuFault::kMemory);
// Calls that have failed since fail_gpu_call().
std::uint64_t gpu_faults_fired();

// Counts a call, and throws if it is the one that is to fail.
void count_gpu_call();

}  // namespace spillway
