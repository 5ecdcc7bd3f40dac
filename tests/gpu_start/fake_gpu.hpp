// A GPU for the tests of its start: the linker gives its functions the calls of the library (tests/CMakeLists.txt). Its
// lanes work on the host.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>

namespace spillway::testing {

enum class StartFault {
  kNone,
  kNoDevice,  // a driver, but no GPU that can be used
  kContext,   // the free memory cannot be asked for
  kArena,     // too little memory is left for the arenas
  kMerge,     // too little is left for the merge
  kTables     // the copy of what the merge reads besides lists fails
};

struct FakeGpu {
  StartFault fault = StartFault::kNone;
  std::chrono::milliseconds start_time{0};  // that it takes to start
  int nodes = 0;                            // device nodes of the driver; 0: as many as GPUs
  int faulty = 0;                           // number of the GPU that kContext is of
  int count = 1;                            // of GPUs
  std::size_t free_bytes = std::size_t{64} << 30;
  std::atomic<int> asked{0};   // calls of find_gpus()
  std::atomic<int> merges{0};  // calls of make_gpu_batch_lanes()
};

FakeGpu& fake_gpu();

}  // namespace spillway::testing
