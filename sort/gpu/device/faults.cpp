#include "sort/gpu/device/faults.hpp"

#include <atomic>

#include "sort/gpu/device/error.hpp"

namespace spillway {

namespace {

constexpr std::int64_t kNever = -1;
// Calls up to and including the one that fails; kNever without one, and after it has failed.
std::atomic<std::int64_t> calls_left{kNever};
std::atomic<GpuFault> kind{GpuFault::kMemory};
std::atomic<std::uint64_t> fired{0};

}  // namespace

void fail_gpu_call(std::uint64_t nth, GpuFault fault) {
  kind.store(fault);
  fired.store(0);
  calls_left.store(nth == 0 ? kNever : static_cast<std::int64_t>(nth));
}

std::uint64_t gpu_faults_fired() { return fired.load(); }

void count_gpu_call() {
  if (calls_left.load(std::memory_order_relaxed) == kNever) return;
  const bool is_lost = kind.load() == GpuFault::kLost;
  const std::int64_t left = calls_left.fetch_sub(1) - 1;
  if (left > 0) return;
  if (left < 0 && !is_lost) {
    calls_left.store(kNever);
    return;
  }
  if (is_lost) calls_left.store(1);
  fired.fetch_add(1);
  if (is_lost) throw GpuError("a fault that a test asked for: the GPU is lost", true);
  throw GpuMemoryError("a fault that a test asked for: no memory");
}

}  // namespace spillway
