#include "sort/lines/block/read_ahead.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

namespace spillway {

namespace {

constexpr std::size_t kMostStep = std::size_t{16} << 20, kStepsInRing = 4;
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kCopyBytes = std::size_t{1} << 20;  // of one task

std::size_t step_of(std::size_t bytes) { return std::min(kMostStep, bytes / kStepsInRing / kPageBytes * kPageBytes); }

std::size_t ring_bytes(std::size_t bytes) {
  const std::size_t least = std::max(bytes, ReadAhead::kLeastBytes);
  return least / step_of(least) * step_of(least);
}

}  // namespace

ReadAhead::ReadAhead(LineInput& input, MemoryBudget& budget, std::size_t bytes)
    : input_(input), ring_(budget, ring_bytes(bytes), "reading ahead"), thread_([this] { run(); }) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::run() noexcept {
  std::exception_ptr error;
  try {
    read_all();
  } catch (...) {
    error = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    error_ = error;
    has_ended_ = true;
  }
  changed_.notify_all();
}

void ReadAhead::read_all() {
  const std::size_t step = step_of(ring_.size());
  for (bool is_at_end = false; !is_at_end;) {
    std::size_t begin = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_stopped_ || ring_.size() - kept() >= step; });
      if (is_stopped_) return;
      begin = static_cast<std::size_t>(put_ % ring_.size());
    }
    const std::size_t got = input_.read(ring_.span().subspan(begin, step));
    is_at_end = got < step || input_.is_at_end();
    {
      const std::lock_guard lock(mutex_);
      put_ += got;
      bytes_read_ = input_.bytes_read();
      has_ended_ = is_at_end;
    }
    changed_.notify_all();
  }
}

std::size_t ReadAhead::read(std::span<std::uint8_t> out) {
  std::span<const std::uint8_t> text;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return kept() != 0 || has_ended_; });
    if (kept() == 0 && error_ != nullptr) std::rethrow_exception(error_);
    const auto begin = static_cast<std::size_t>(taken_ % ring_.size());
    text = ring_.span().subspan(begin, std::min({out.size(), kept(), ring_.size() - begin}));
  }
  tbb::parallel_for(std::size_t{0}, (text.size() + kCopyBytes - 1) / kCopyBytes, [&](std::size_t part) {
    const auto copied = text.subspan(part * kCopyBytes, std::min(kCopyBytes, text.size() - part * kCopyBytes));
    std::memcpy(out.data() + part * kCopyBytes, copied.data(), copied.size());
  });
  {
    const std::lock_guard lock(mutex_);
    taken_ += text.size();
  }
  changed_.notify_all();
  return text.size();
}

bool ReadAhead::is_at_end() const {
  const std::lock_guard lock(mutex_);
  return has_ended_ && kept() == 0 && error_ == nullptr;
}

std::uint64_t ReadAhead::bytes_read() const {
  const std::lock_guard lock(mutex_);
  return bytes_read_;
}

}  // namespace spillway
