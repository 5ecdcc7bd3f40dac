// The host memory budget of a job, and the buffers paid from it. Every large allocation is reserved here before it is
// touched. If a reservation does not fit, reserve() throws BudgetError and try_reserve() returns nothing, so the caller
// can spill or step down.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/memory/account.hpp"

namespace spillway {

class MemoryBudget;

// Bytes reserved from a budget, given back on destruction. Movable.
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
  // Adds what another reservation of the same budget holds; it counts for the consumer of this one.
  void join(Reservation&& other);
  // Gives back all but `bytes`. Requires: bytes <= this->bytes().
  void shrink(std::size_t bytes);

 private:
  friend class MemoryBudget;
  Reservation(MemoryBudget* budget, std::size_t bytes, std::uint32_t consumer)
      : budget_(budget), bytes_(bytes), consumer_(consumer) {}
  MemoryBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint32_t consumer_ = 0;  // of the budget's account; 0: not counted there
};

// Thread-safe. Outlives every reservation made from it.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t total_bytes) : total_bytes_(total_bytes) {}
  ~MemoryBudget() { drop_kept(); }
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Throws BudgetError naming `consumer`, the bytes requested, and the --memory value that would suffice.
  Reservation reserve(std::size_t bytes, std::string_view consumer);
  std::optional<Reservation> try_reserve(std::size_t bytes, std::string_view consumer = "others");
  // The same, but waits up to `patience` for reservations of other threads to end.
  std::optional<Reservation> try_reserve(std::size_t bytes, std::chrono::milliseconds patience,
                                         std::string_view consumer = "others");

  // Keeps an account of the consumers of later reservations. Requires: no other thread uses the budget yet.
  void keep_account() { account_ = std::make_unique<MemoryAccount>(); }
  const MemoryAccount* account() const { return account_.get(); }  // nullptr: none is kept

  std::size_t total_bytes() const { return total_bytes_; }
  std::size_t used_bytes() const { return used_bytes_.load(); }
  std::size_t free_bytes() const;
  std::size_t peak_bytes() const { return peak_bytes_.load(std::memory_order_relaxed); }

  // Unmaps the pages that reused buffers left. The other accessors count these pages as free, and any reservation that
  // needs the room unmaps them: used and kept bytes together never exceed the total.
  void drop_kept();

 private:
  friend class Reservation;
  friend class Buffer;
  struct KeptPages {
    std::uint8_t* data = nullptr;
    std::size_t mapped_bytes = 0;
    std::size_t touched_bytes = 0;  // counted from the start of the pages
  };
  struct PaidPages {
    KeptPages pages;
    Reservation reservation;
  };
  bool take(std::size_t bytes);
  bool take_locked(std::size_t bytes);
  void give_back(std::size_t bytes, std::uint32_t consumer);
  Reservation reservation(std::size_t bytes, std::string_view consumer);
  void keep(const KeptPages& pages, Reservation&& reservation);
  PaidPages reuse(std::size_t mapped_bytes, std::string_view consumer);
  void drop_one();

  std::mutex mutex_;  // guards the kept pages, and every increase of used_bytes_
  std::vector<KeptPages> kept_;
  std::size_t kept_bytes_ = 0;  // touched bytes of the kept pages
  const std::size_t total_bytes_;
  std::atomic<unsigned> waiting_{0};  // threads in try_reserve
  std::condition_variable released_;
  std::atomic<std::size_t> used_bytes_{0};
  std::atomic<std::size_t> peak_bytes_{0};
  std::unique_ptr<MemoryAccount> account_;
};

// Owned, zero-filled, page-aligned bytes mapped straight from the system, so that freeing returns them at once; paid
// from a budget. Pages that are never touched cost nothing but their reservation. Movable.
class Buffer {
 public:
  Buffer() = default;
  Buffer(MemoryBudget& budget, std::size_t bytes, std::string_view consumer);
  Buffer(Reservation reservation, std::size_t bytes);
  // Uses the pages of a destroyed reused() buffer of the same size, if there are any. For short-lived buffers, whose
  // page faults (0.3 to 5 us for each page) would cost more than the work done in them. The contents are unspecified.
  static Buffer reused(MemoryBudget& budget, std::size_t bytes, std::string_view consumer);
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  // Grows by what is reserved, without a copy: pages keep their contents, and may move. Throws BudgetError if the
  // system refuses, and changes nothing then. Requires: it is not a reused buffer, and no file is mapped into it.
  void extend(Reservation more);
  // Returns the whole pages of [begin, end) to the system; their contents become unspecified.
  void drop_pages(std::size_t begin, std::size_t end);
  // Gives back all but the first `bytes`. A reused buffer gives back only pages that were never touched, unless more
  // than four times `bytes` would remain. Requires: bytes <= size(); of a reused buffer, the bytes after them were not
  // touched since it was made.
  void shrink(std::size_t bytes);
  // Lets the system use huge pages, where it has them; or only for the pages that begin in [begin, end).
  void use_large_pages() { use_large_pages(0, bytes_); }
  void use_large_pages(std::size_t begin, std::size_t end);

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
  MemoryBudget* reuser_ = nullptr;  // the budget that takes the pages back
  Reservation reservation_;
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t mapped_bytes_ = 0;
  std::size_t touched_bytes_ = 0;  // of a reused buffer: touched before this use, and up to shrink()
};

// Resident bytes of this process: now, and the peak so far (VmRSS and VmHWM in /proc/self/status).
std::size_t resident_bytes();
std::size_t peak_resident_bytes();
// The least of RAM, the cgroup v1 and v2 limits, RLIMIT_AS and RLIMIT_DATA.
std::size_t available_memory_bytes();

}  // namespace spillway
