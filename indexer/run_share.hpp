// A share of the memory that runs may be kept in (indexer/run_store.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

namespace spillway {

// Held for a run that is on its way, and then by the run: given back when destroyed. Movable; no longer than its store.
class RunShare {
 public:
  RunShare() = default;
  RunShare(RunShare&& other) noexcept
      : left_(std::exchange(other.left_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  RunShare& operator=(RunShare&& other) noexcept {
    std::swap(left_, other.left_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  RunShare(const RunShare&) = delete;
  RunShare& operator=(const RunShare&) = delete;
  ~RunShare() { give_back(bytes_); }

  // Is there one? Else the run goes to a scratch file.
  bool is_memory() const { return left_ != nullptr; }
  std::size_t bytes() const { return bytes_; }
  // The run took so much of it; the rest is given back. Requires: bytes are no more than were asked for.
  void keep(std::size_t bytes) {
    const std::size_t kept = std::min(bytes_, bytes);
    give_back(std::exchange(bytes_, kept) - kept);
  }

 private:
  friend class RunStore;
  RunShare(std::atomic<std::size_t>& left, std::size_t bytes) : left_(&left), bytes_(bytes) {}
  void give_back(std::size_t bytes) {
    if (left_ != nullptr) left_->fetch_add(bytes);
  }
  std::atomic<std::size_t>* left_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace spillway
