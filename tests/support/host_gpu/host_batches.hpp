// Lanes of a merge (merge/index/batch_lane.hpp) on the host: the steps of a GPU, without one.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "indexer/gpu/merge/batch_memory.hpp"
#include "indexer/gpu/merge/term_order.hpp"
#include "merge/index/batch_lane.hpp"
#include "sort/gpu/device/faults.hpp"

namespace spillway::testing {

class HostBatchLanes final : public BatchLanes {
 public:
  // `large`: the limits of the large lane; 0 lists: there is none. `large_bytes`: for the lists that it gives back.
  // `held`: the lists of all inputs, which the lanes hold, or none.
  explicit HostBatchLanes(const BatchLimits& limits, unsigned lanes = 3, const BatchLimits& large = {},
                          std::size_t large_bytes = std::size_t{1} << 40, std::vector<DeviceLists> held = {});
  ~HostBatchLanes() override;

  void begin(const BatchMergeSource& source) override;
  std::unique_ptr<BatchLane> take() noexcept override;
  const HeldLists* held() noexcept override;
  std::size_t order_bytes() const noexcept override { return held_.empty() ? 0 : 1; }  // the order is made by begin()
  LargeLane* large() noexcept override { return large_.lane == nullptr ? nullptr : &large_; }
  void fail(const std::string& why) noexcept override;
  void expect_end() noexcept override { expects_end_ = true; }
  void end() noexcept override {
    if (!expects_end_) fail("the end was not expected");
  }
  // Lets call number `nth` fail: after begin(), or while the order of what is held is made.
  void fail_call(std::uint64_t nth, GpuFault fault) { failing_ = {nth, fault}; }
  void fail_call_of_order(std::uint64_t nth, GpuFault fault) { failing_order_ = {nth, fault}; }
  // Why lanes have failed.
  std::vector<std::string> failures() const { return failures_; }

 private:
  struct Tables;
  const BatchLimits limits_, large_limits_;
  unsigned lanes_;
  std::unique_ptr<Tables> tables_;
  const std::vector<DeviceLists> held_;
  std::unique_ptr<TermOrder> order_;
  MemoryBudget budget_;
  LargeLane large_;
  std::pair<std::uint64_t, GpuFault> failing_{}, failing_order_{};
  std::mutex mutex_;
  std::vector<std::string> failures_;
  std::atomic<bool> expects_end_ = false;
};

// Limits that hold all lists of a test, and such that hold a few.
BatchLimits wide_batch_limits(bool has_positions);
BatchLimits narrow_batch_limits(bool has_positions);

}  // namespace spillway::testing
