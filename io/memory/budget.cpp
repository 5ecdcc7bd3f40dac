#include "io/memory/budget.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <utility>

#include "io/base/error.hpp"
#include "io/memory/limits.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
// A reused buffer keeps up to kMuchAbove times the pages it needs now, if an earlier use touched that many. Faulting
// pages in again costs more than holding a few.
constexpr std::size_t kMuchAbove = 4;

std::size_t status_field_bytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(name)) return std::stoull(line.substr(name.size())) * 1024;
  }
  return 0;
}

[[noreturn]] void refuse_mapping(std::size_t bytes) {
  throw BudgetError("the system refused " + std::to_string(bytes) + " bytes of memory (" + std::strerror(errno) +
                    "); lower --memory or free memory on this machine");
}

}  // namespace

Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      consumer_(std::exchange(other.consumer_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this != &other) {
    release();
    budget_ = std::exchange(other.budget_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    consumer_ = std::exchange(other.consumer_, 0);
  }
  return *this;
}

void Reservation::release() {
  if (budget_ != nullptr) budget_->give_back(bytes_, consumer_);
  budget_ = nullptr;
  bytes_ = 0;
}

void Reservation::join(Reservation&& other) {
  if (budget_ == nullptr) {
    *this = std::move(other);
    return;
  }
  if (consumer_ != other.consumer_ && consumer_ != 0 && other.consumer_ != 0) {
    budget_->account_->add(consumer_, other.bytes_);
    budget_->account_->subtract(other.consumer_, other.bytes_);
  }
  bytes_ += std::exchange(other.bytes_, 0);
  other.budget_ = nullptr;
}

void Reservation::shrink(std::size_t bytes) {
  if (budget_ == nullptr || bytes >= bytes_) return;
  budget_->give_back(bytes_ - bytes, consumer_);
  bytes_ = bytes;
}

bool MemoryBudget::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  return take_locked(bytes);
}

// Requires: mutex_ is held.
bool MemoryBudget::take_locked(std::size_t bytes) {
  if (bytes > free_bytes()) return false;
  const auto fits = [&] { return bytes + kept_bytes_ <= free_bytes(); };
  while (!fits() && !kept_.empty()) drop_one();
  const std::size_t used = used_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (used > peak_bytes_.load(std::memory_order_relaxed)) peak_bytes_.store(used, std::memory_order_relaxed);
  return true;
}

// A thread that waits either is counted here, or counted itself before it saw these bytes as free.
void MemoryBudget::give_back(std::size_t bytes, std::uint32_t consumer) {
  if (consumer != 0) account_->subtract(consumer, bytes);
  used_bytes_.fetch_sub(bytes);
  if (waiting_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  released_.notify_all();
}

void MemoryBudget::drop_kept() {
  while (true) {
    const std::lock_guard lock(mutex_);  // one attempt: other threads take memory in between
    if (kept_.empty()) return;
    drop_one();
  }
}

// Requires: mutex_ is held.
void MemoryBudget::drop_one() {
  munmap(kept_.back().data, kept_.back().mapped_bytes);
  kept_bytes_ -= kept_.back().touched_bytes;
  kept_.pop_back();
}

void MemoryBudget::keep(const KeptPages& pages, Reservation&& reservation) {
  {
    const std::lock_guard lock(mutex_);
    try {
      kept_.push_back(pages);
      kept_bytes_ += pages.touched_bytes;
    } catch (const std::bad_alloc&) {
      munmap(pages.data, pages.mapped_bytes);
    }
  }
  reservation.release();
}

// Moves pages from kept to used in one step, so that they are counted exactly once at any time. Returns no pages if
// none of this size are kept or if they do not fit.
MemoryBudget::PaidPages MemoryBudget::reuse(std::size_t mapped_bytes, std::string_view consumer) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(),
                                  [&](const KeptPages& pages) { return pages.mapped_bytes == mapped_bytes; });
  if (found == kept_.rend() || mapped_bytes > free_bytes()) return {};
  PaidPages paid{*found, {}};
  kept_bytes_ -= found->touched_bytes;
  kept_.erase(std::next(found).base());
  if (take_locked(mapped_bytes)) paid.reservation = reservation(mapped_bytes, consumer);
  return paid;
}

// Requires: the bytes were taken.
Reservation MemoryBudget::reservation(std::size_t bytes, std::string_view consumer) {
  if (account_ == nullptr) return {this, bytes, 0};
  const std::uint32_t number = account_->number_of(consumer);
  account_->add(number, bytes);
  return {this, bytes, number};
}

Reservation MemoryBudget::reserve(std::size_t bytes, std::string_view consumer) {
  if (take(bytes)) return reservation(bytes, consumer);
  const std::size_t needed = (used_bytes() + bytes + kMebibyte - 1) / kMebibyte;
  throw BudgetError(std::string(consumer) + " needs " + std::to_string(bytes) + " bytes, but of the budget of " +
                    std::to_string(total_bytes_) + " bytes only " + std::to_string(free_bytes()) +
                    " are free; give --memory at least " + std::to_string(needed) + "M");
}

std::optional<Reservation> MemoryBudget::try_reserve(std::size_t bytes, std::string_view consumer) {
  if (!take(bytes)) return std::nullopt;
  return reservation(bytes, consumer);
}

std::optional<Reservation> MemoryBudget::try_reserve(std::size_t bytes, std::chrono::milliseconds patience,
                                                     std::string_view consumer) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  const bool taken = released_.wait_for(lock, patience, [&] { return take_locked(bytes); });
  --waiting_;
  if (!taken) return std::nullopt;
  return reservation(bytes, consumer);
}

std::size_t MemoryBudget::free_bytes() const { return total_bytes_ - std::min(used_bytes(), total_bytes_); }

Buffer::Buffer(MemoryBudget& budget, std::size_t bytes, std::string_view consumer)
    : reservation_(budget.reserve(bytes, consumer)), bytes_(bytes) {
  map();
}

Buffer::Buffer(Reservation reservation, std::size_t bytes) : reservation_(std::move(reservation)), bytes_(bytes) {
  map();
}

Buffer Buffer::reused(MemoryBudget& budget, std::size_t bytes, std::string_view consumer) {
  MemoryBudget::PaidPages paid = budget.reuse(bytes, consumer);
  Buffer buffer;
  if (paid.pages.data == nullptr) {
    buffer = Buffer(budget, bytes, consumer);
  } else {
    buffer.reservation_ = std::move(paid.reservation);
    buffer.data_ = paid.pages.data;
    buffer.bytes_ = buffer.mapped_bytes_ = bytes;
    buffer.touched_bytes_ = paid.pages.touched_bytes;
  }
  buffer.reuser_ = &budget;
  return buffer;
}

void Buffer::map() {
  mapped_bytes_ = bytes_;
  if (bytes_ == 0) return;
  void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) refuse_mapping(bytes_);
  data_ = static_cast<std::uint8_t*>(mapped);
}

Buffer::Buffer(Buffer&& other) noexcept
    : reuser_(other.reuser_),
      reservation_(std::move(other.reservation_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
      touched_bytes_(other.touched_bytes_) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(reuser_, other.reuser_);
  std::swap(reservation_, other.reservation_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(touched_bytes_, other.touched_bytes_);
  return *this;
}

void Buffer::shrink(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t kept = (bytes + page - 1) / page * page;
  if (reuser_ != nullptr) {
    if (touched_bytes_ / kMuchAbove > kept) {
      madvise(data_ + kept, touched_bytes_ - kept, MADV_DONTNEED);
      touched_bytes_ = kept;
    }
    bytes_ = touched_bytes_ = std::max(touched_bytes_, bytes);
  } else {
    if (kept < mapped_bytes_) munmap(data_ + kept, mapped_bytes_ - kept);
    if (kept == 0) data_ = nullptr;
    bytes_ = bytes;
    mapped_bytes_ = std::min(mapped_bytes_, kept);
  }
  reservation_.shrink(bytes_);
}

void Buffer::extend(Reservation more) {
  const std::size_t bytes = bytes_ + more.bytes();
  if (data_ == nullptr) {
    *this = Buffer(std::move(more), bytes);
    return;
  }
  void* const moved = mremap(data_, mapped_bytes_, bytes, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) refuse_mapping(bytes);
  reservation_.join(std::move(more));
  data_ = static_cast<std::uint8_t*>(moved);
  bytes_ = mapped_bytes_ = bytes;
}

void Buffer::drop_pages(std::size_t begin, std::size_t end) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t first = (begin + page - 1) / page * page, last = end / page * page;
  if (first < last) madvise(data_ + first, last - first, MADV_DONTNEED);
}

void Buffer::use_large_pages(std::size_t begin, std::size_t end) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t first = (begin + page - 1) / page * page;
  if (first < end) madvise(data_ + first, end - first, MADV_HUGEPAGE);
}

Buffer::~Buffer() {
  if (data_ == nullptr) return;
  if (reuser_ != nullptr && bytes_ == touched_bytes_) {
    reuser_->keep({data_, mapped_bytes_, touched_bytes_}, std::move(reservation_));
  } else {
    munmap(data_, mapped_bytes_);
  }
}

std::size_t resident_bytes() { return status_field_bytes("VmRSS:"); }
std::size_t peak_resident_bytes() { return status_field_bytes("VmHWM:"); }

std::size_t available_memory_bytes() { return memory_limits().least_bytes(); }

}  // namespace spillway
