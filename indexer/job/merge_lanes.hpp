// The lanes of a job's last merge, made by another thread beside its begin.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "merge/index/batch_lane.hpp"

namespace spillway {

// Thread-safe.
class MergeLanes final : public BatchLanes {
 public:
  using Make = std::function<std::unique_ptr<BatchLanes>()>;

  // `used_bytes`: of the lanes that are to be made; `lists_stay`: lists that they will hold are not on the host. The
  // first end() calls `before_end`, which throws nothing.
  explicit MergeLanes(std::size_t used_bytes, bool lists_stay = false, std::function<void()> before_end = {})
      : used_bytes_(used_bytes), lists_stay_(lists_stay), before_end_(std::move(before_end)) {}

  // Makes the lanes by `make`, which may return nullptr or throw. Called once, by a thread of its own; take() waits for
  // it.
  void make(const Make& make) noexcept;
  // Whether there are lanes that hold lists. Called after make().
  bool holds_lists() const noexcept;
  // Waits for expect_end(), fail() or end(), if there are lanes. Called after make(), by the same thread.
  void wait_for_last_ranges() noexcept;
  // Waits for end(), and gives the lanes back. Called after make(), by the same thread.
  void wait_for_end() noexcept;
  // Why lists were merged by the processor although lanes were wanted; empty if they were not.
  std::string failure() const;

  std::size_t used_bytes() const noexcept override { return used_bytes_; }
  void begin(const BatchMergeSource& source) override;
  std::unique_ptr<BatchLane> take() noexcept override;
  const HeldLists* held() noexcept override;
  bool hold_alone() noexcept override { return lists_stay_ && held() != nullptr; }
  // Waits until it is made, if lists are held.
  LargeLane* large() noexcept override;
  void fail(const std::string& why) noexcept override;
  void expect_end() noexcept override;
  // May be called more than once, by one thread at a time, also without make().
  void end() noexcept override;

 private:
  void begin_lanes() noexcept;
  void keep_failure(const char* why) noexcept;

  const std::size_t used_bytes_;
  const bool lists_stay_;
  std::function<void()> before_end_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<BatchMergeSource> source_;
  std::unique_ptr<BatchLanes> lanes_;
  bool made_ = false, large_made_ = false, cannot_begin_ = false, ends_soon_ = false, ended_ = false;
  std::string failure_;
};

}  // namespace spillway
