// Who holds how much of a memory budget: bytes by the name of the consumer that reserved them. A budget keeps one only
// while a job is recorded for a report.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway {

// Thread-safe.
class MemoryAccount {
 public:
  // Beyond this number, consumers are counted together as "others".
  static constexpr std::size_t kMostConsumers = 48;

  // The number of a consumer, from 1. O(consumers) under a lock; a reservation is rare.
  std::uint32_t number_of(std::string_view consumer);
  // Requires: a number that number_of() returned.
  void add(std::uint32_t consumer, std::size_t bytes) { bytes_[consumer].fetch_add(bytes, std::memory_order_relaxed); }
  void subtract(std::uint32_t consumer, std::size_t bytes) {
    bytes_[consumer].fetch_sub(bytes, std::memory_order_relaxed);
  }
  // Returns the bytes that each consumer holds now, in order of their first reservations.
  std::vector<std::pair<std::string, std::size_t>> consumers() const;

 private:
  mutable std::mutex mutex_;  // guards names_
  std::vector<std::string> names_;
  std::array<std::atomic<std::size_t>, kMostConsumers + 2> bytes_{};  // by number; the last: others
};

}  // namespace spillway
