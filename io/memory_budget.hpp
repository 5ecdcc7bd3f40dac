// The one host memory budget of a job, and the buffers that are paid from it.
// Everything large is reserved here before it is touched; a reservation that does not fit throws BudgetError or, with
// try_reserve, says no, so that the caller can spill or step down.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spillway {

class MemoryBudget;

// Bytes held from a budget; gives them back when destroyed. Movable.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() { release(); }

  std::size_t bytes() const { return bytes_; }
  void release();
  // Gives back all but `bytes`. Requires: bytes <= this->bytes().
  void shrink(std::size_t bytes);

 private:
  friend class MemoryBudget;
  Reservation(MemoryBudget* budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {}
  MemoryBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

// Thread-safe. Lives longer than every reservation made from it.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t total_bytes) : total_bytes_(total_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Throws BudgetError naming `consumer`, the bytes asked for, and the --memory that would hold them.
  Reservation reserve(std::size_t bytes, std::string_view consumer);
  std::optional<Reservation> try_reserve(std::size_t bytes);

  std::size_t total_bytes() const { return total_bytes_; }
  std::size_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  std::size_t free_bytes() const;
  std::size_t peak_bytes() const { return peak_bytes_.load(std::memory_order_relaxed); }

 private:
  friend class Reservation;
  bool take(std::size_t bytes);
  std::size_t total_bytes_;
  std::atomic<std::size_t> used_bytes_{0};
  std::atomic<std::size_t> peak_bytes_{0};
};

// Owned, zero-filled, page-aligned bytes straight from the system (so that freeing returns them at once), paid from a
// budget. Pages that are never touched cost nothing but their reservation. Movable.
class Buffer {
 public:
  Buffer() = default;
  Buffer(MemoryBudget& budget, std::size_t bytes, std::string_view consumer);
  Buffer(Reservation reservation, std::size_t bytes);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  // Gives all but the first `bytes` back. Requires: bytes <= size().
  void shrink(std::size_t bytes);
  // Let the system use large pages, where it has them.
  void use_large_pages();

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  std::span<std::uint8_t> span() { return {data_, bytes_}; }
  std::span<const std::uint8_t> span() const { return {data_, bytes_}; }
  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data_), bytes_ / sizeof(T)};
  }

 private:
  void map();
  Reservation reservation_;
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// Bytes that this process has resident now, and at most so far (VmRSS, VmHWM of /proc/self/status).
std::size_t resident_bytes();
std::size_t peak_resident_bytes();
// The least of RAM, cgroup v1/v2 limits and RLIMIT_AS / RLIMIT_DATA.
std::size_t available_memory_bytes();

}  // namespace spillway
