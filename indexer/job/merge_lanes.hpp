// The lanes of a job's last merge, made beside its begin: threads of the merge take them as soon as they are there, and
// merge lists by themselves until then.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "merge/index/batch_lane.hpp"

namespace spillway {

// Thread-safe.
class MergeLanes final : public BatchLanes {
 public:
  using Make = std::function<std::unique_ptr<BatchLanes>()>;

  // Makes the lanes by make(), which may return nullptr or throw, and keeps them until end(). Called once, on a thread
  // of its own.
  void run(const Make& make) noexcept;
  // Ends run(). Requires: all lanes that were taken are gone. May be called more than once, also without run().
  void end() noexcept;
  // Why lists were merged by the processor although lanes were wanted; empty if they were not.
  std::string failure() const;

  void begin(const BatchMergeSource& source) override;
  std::unique_ptr<BatchLane> take() noexcept override;
  void fail(const std::string& why) noexcept override;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<BatchMergeSource> source_;
  std::unique_ptr<BatchLanes> lanes_;  // once they can be taken
  bool ended_ = false;
  std::string failure_;
};

}  // namespace spillway
