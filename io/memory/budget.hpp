// The one host memory budget of a job, and the buffers that are paid from it.
// Everything large is reserved here before it is touched; a reservation that does not fit throws BudgetError or, with
// try_reserve, says no, so that the caller can spill or step down.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  ~MemoryBudget() { drop_kept(); }
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Throws BudgetError naming `consumer`, the bytes asked for, and the --memory that would hold them.
  Reservation reserve(std::size_t bytes, std::string_view consumer);
  std::optional<Reservation> try_reserve(std::size_t bytes);

  std::size_t total_bytes() const { return total_bytes_; }
  std::size_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }
  std::size_t free_bytes() const;
  std::size_t peak_bytes() const { return peak_bytes_.load(std::memory_order_relaxed); }

  // Unmaps what reused buffers left. That is free in the meaning of the others here, and goes as soon as it is asked
  // for: what is used and what was left are together never above the total.
  void drop_kept();

 private:
  friend class Reservation;
  friend class Buffer;
  struct KeptPages {
    std::uint8_t* data = nullptr;
    std::size_t mapped_bytes = 0;
    std::size_t touched_bytes = 0;  // from the start
  };
  struct PaidPages {
    KeptPages pages;
    Reservation reservation;
  };
  bool take(std::size_t bytes);
  bool take_locked(std::size_t bytes);
  void keep(const KeptPages& pages, Reservation&& reservation);
  PaidPages reuse(std::size_t mapped_bytes);
  void drop_one();

  std::mutex mutex_;  // of what is kept, and held where used_bytes_ grows
  std::vector<KeptPages> kept_;
  std::size_t kept_bytes_ = 0;  // touched
  const std::size_t total_bytes_;
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
  // In pages that another such buffer of the size left, if there are any: for buffers that come and go, whose pages
  // would cost more than what is done in them (a new one 0.3 to 5 us). Its bytes are any.
  static Buffer reused(MemoryBudget& budget, std::size_t bytes, std::string_view consumer);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  // Gives all but the first `bytes` back; of a reused buffer only what was never touched, unless that leaves more than
  // four times as much. Requires: bytes <= size(); those behind were not touched since the buffer was made.
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
  MemoryBudget* reuser_ = nullptr;  // who takes the pages back
  Reservation reservation_;
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t mapped_bytes_ = 0;
  std::size_t touched_bytes_ = 0;  // of a reused buffer: before, and when it was shrunk
};

// Bytes that this process has resident now, and at most so far (VmRSS, VmHWM of /proc/self/status).
std::size_t resident_bytes();
std::size_t peak_resident_bytes();
// The least of RAM, cgroup v1/v2 limits and RLIMIT_AS / RLIMIT_DATA.
std::size_t available_memory_bytes();

}  // namespace spillway
