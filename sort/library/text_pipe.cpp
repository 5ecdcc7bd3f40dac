#include "sort/library/text_pipe.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sort/library/packed_strings.hpp"

namespace spillway {

bool TextPipe::exchange(TextChunk& chunk) {
  std::unique_lock lock(mutex_);
  if (chunk.used != 0) {
    full_.push_back(std::exchange(chunk, {}));
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return is_stopped_ || !empty_.empty() || made_ < kMostChunks; });
  if (is_stopped_) return false;
  if (empty_.empty()) {
    ++made_;
    lock.unlock();
    chunk.bytes.resize(kChunkBytes + kPackedPadding);
  } else {
    chunk = std::move(empty_.back());
    empty_.pop_back();
  }
  chunk.used = 0;
  return true;
}

void TextPipe::close(TextChunk chunk) {
  const std::lock_guard lock(mutex_);
  if (chunk.used != 0) full_.push_back(std::move(chunk));
  is_closed_ = true;
  changed_.notify_all();
}

std::size_t TextPipe::read(std::span<std::uint8_t> out) {
  if (at_ == current_.used) {
    std::unique_lock lock(mutex_);
    if (!current_.bytes.empty()) empty_.push_back(std::exchange(current_, {}));
    at_ = 0;
    changed_.notify_all();
    changed_.wait(lock, [&] { return is_stopped_ || is_closed_ || !full_.empty(); });
    if (is_stopped_) throw SortStopped();
    if (full_.empty()) return 0;
    current_ = std::move(full_.front());
    full_.erase(full_.begin());
  }
  const std::size_t bytes = std::min(out.size(), current_.used - at_);
  std::memcpy(out.data(), current_.bytes.data() + at_, bytes);
  at_ += bytes;
  return bytes;
}

void TextPipe::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
}

}  // namespace spillway
