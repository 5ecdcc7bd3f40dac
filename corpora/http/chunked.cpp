#include "corpora/http/chunked.hpp"

#include <algorithm>

namespace spillway {

namespace {

constexpr std::size_t kMaxSizeLineBytes = 4096;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

// The chunk is none: the first one says that the body is not chunked, a later one ends it.
void ChunkedStage::break_off() {
  state_ = is_first_ ? State::kRaw : State::kDone;
  fault_ = is_first_ ? BodyFault::kNotEncoded : BodyFault::kDamaged;
}

void ChunkedStage::end_size_line() {
  if (!has_digits_) return break_off();
  is_first_ = false;
  start_.clear();
  state_ = left_ == 0 ? State::kDone : State::kData;
}

// Reads from the line with the size. Returns how many bytes it took.
std::size_t ChunkedStage::read_size(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && (state_ == State::kSize || state_ == State::kExtension)) {
    const char c = bytes[at++];
    if (is_first_) start_ += c;
    const int digit = hex_digit(c);
    if (c == '\n') {
      end_size_line();
    } else if (state_ == State::kExtension || c == '\r') {
      state_ = state_ == State::kExtension || has_digits_ ? State::kExtension : state_;
    } else if (digit >= 0 && left_ >> 60 == 0) {
      left_ = left_ * 16 + static_cast<unsigned>(digit);
      has_digits_ = true;
    } else if (has_digits_ && (c == ';' || c == ' ' || c == '\t')) {
      state_ = State::kExtension;
    } else {
      break_off();
    }
    if (start_.size() > kMaxSizeLineBytes) break_off();
  }
  return at;
}

bool ChunkedStage::feed(std::string_view bytes, BodyOutput& out) {
  while (!bytes.empty() && state_ != State::kDone) {
    std::size_t count = bytes.size();
    if (state_ == State::kRaw) return out.body(bytes);
    if (state_ == State::kData) {
      count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, count));
      if (!out.body(bytes.substr(0, count))) return false;
      left_ -= count;
      if (left_ == 0) state_ = State::kDataEnd;
    } else if (state_ == State::kDataEnd) {
      count = 1;
      if (bytes.front() == '\n') {
        state_ = State::kSize;
        has_digits_ = false;
      } else if (bytes.front() != '\r') {
        break_off();
      }
    } else {
      count = read_size(bytes);
      if (state_ == State::kRaw && !out.body(start_)) return false;
    }
    bytes.remove_prefix(count);
  }
  return true;
}

bool ChunkedStage::finish(BodyOutput& out) {
  const bool is_open = state_ == State::kSize || state_ == State::kExtension;
  if (is_open && is_first_) {
    if (start_.empty()) return true;
    break_off();
    return out.body(start_);
  }
  if (state_ == State::kData) fault_ = BodyFault::kTruncated;
  return true;
}

}  // namespace spillway
