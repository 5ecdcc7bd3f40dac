#include "sort/library/text_handover.hpp"

#include "sort/library/text_pipe.hpp"

namespace spillway {

void TextHandover::write(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  std::unique_lock lock(mutex_);
  if (is_stopped_) throw SortStopped();
  offered_ = bytes;
  is_taken_ = false;
  changed_.notify_all();
  changed_.wait(lock, [&] { return is_stopped_ || offered_.empty(); });
  if (is_stopped_) throw SortStopped();
}

bool TextHandover::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_ready(); });
  return !is_ended_;
}

std::span<const std::uint8_t> TextHandover::take() {
  std::unique_lock lock(mutex_);
  if (is_taken_) {
    offered_ = {};
    is_taken_ = false;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return is_ready(); });
  if (is_ended_) return {};
  is_taken_ = true;
  return offered_;
}

void TextHandover::end() {
  const std::lock_guard lock(mutex_);
  is_ended_ = true;
  changed_.notify_all();
}

void TextHandover::stop() {
  const std::lock_guard lock(mutex_);
  is_ended_ = is_stopped_ = true;
  changed_.notify_all();
}

}  // namespace spillway
