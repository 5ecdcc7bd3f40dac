// A share of the memory that runs may be kept in (indexer/run/store.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace spillway {

// Held for a run that is on its way, and then by the run: given back when destroyed. Movable; no longer than its store.
class RunShare {
 public:
  RunShare() = default;
  RunShare(RunShare&& other) noexcept
      : left_(std::exchange(other.left_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        piece_bytes_(other.piece_bytes_) {}
  RunShare& operator=(RunShare&& other) noexcept {
    std::swap(left_, other.left_);
    std::swap(bytes_, other.bytes_);
    std::swap(piece_bytes_, other.piece_bytes_);
    return *this;
  }
  RunShare(const RunShare&) = delete;
  RunShare& operator=(const RunShare&) = delete;
  ~RunShare() { keep(0); }

  // Is there one? Else the run goes to a scratch file.
  bool is_memory() const { return left_ != nullptr; }
  std::size_t bytes() const { return bytes_; }
  // The run took so much: the rest is given back. What it took beyond the share is owed, and nobody gets any until it
  // is there again.
  void keep(std::size_t bytes) {
    if (left_ == nullptr) return;
    const std::size_t before = std::exchange(bytes_, bytes);
    left_->fetch_add(static_cast<std::int64_t>(before) - static_cast<std::int64_t>(bytes));
  }

 private:
  friend class RunStore;
  RunShare(std::atomic<std::int64_t>& left, std::size_t bytes, std::size_t piece_bytes)
      : left_(&left), bytes_(bytes), piece_bytes_(piece_bytes) {}
  std::atomic<std::int64_t>* left_ = nullptr;
  std::size_t bytes_ = 0, piece_bytes_ = 0;
};

}  // namespace spillway
