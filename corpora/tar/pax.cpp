#include "corpora/tar/pax.hpp"

#include <algorithm>
#include <charconv>

namespace spillway {

namespace {

constexpr std::size_t kMaxKeyBytes = 64;  // longer ones name nothing that counts here
constexpr std::uint64_t kMaxLineBytes = std::uint64_t{1} << 32;

std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > INT64_MAX) return std::nullopt;
  return value;
}

}  // namespace

void PaxReader::reset() {
  start_line();
  path_.clear();
  sparse_path_.clear();
  size_.reset();
  is_sparse_ = is_broken_ = false;
}

void PaxReader::start_line() {
  state_ = State::kLength;
  length_ = used_ = 0;
  key_.clear();
  value_.clear();
}

void PaxReader::refuse() {
  state_ = State::kBroken;
  is_broken_ = true;
}

void PaxReader::feed(std::string_view bytes) {
  while (!bytes.empty() && state_ != State::kBroken) {
    std::size_t read = 1;
    if (state_ == State::kLength) {
      feed_length(bytes.front());
    } else if (state_ == State::kKey) {
      feed_key(bytes.front());
    } else {
      read = feed_value(bytes);
    }
    bytes.remove_prefix(read);
  }
}

void PaxReader::feed_length(char byte) {
  ++used_;
  if (byte == ' ' && length_ > used_) {
    state_ = State::kKey;
  } else if (byte >= '0' && byte <= '9' && length_ < kMaxLineBytes) {
    length_ = length_ * 10 + static_cast<std::uint64_t>(byte - '0');
  } else {
    refuse();
  }
}

void PaxReader::feed_key(char byte) {
  ++used_;
  if (used_ >= length_) return refuse();  // the value has at least a line feed
  if (byte == '=') {
    state_ = State::kValue;
  } else if (key_.size() < kMaxKeyBytes) {
    key_ += byte;
  }
}

std::size_t PaxReader::feed_value(std::string_view bytes) {
  if (used_ + 1 == length_) {
    if (bytes.front() == '\n') {
      end_line();
    } else {
      refuse();
    }
    return 1;
  }
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), length_ - 1 - used_));
  value_ += bytes.substr(0, std::min(count, kMaxNameBytes - value_.size()));
  used_ += count;
  return count;
}

void PaxReader::end_line() {
  if (key_ == "path") {
    path_ = value_;
  } else if (key_ == "GNU.sparse.name") {
    sparse_path_ = value_;
  } else if (key_ == "size") {
    size_ = decimal(value_);
    if (!size_) return refuse();
  }
  is_sparse_ = is_sparse_ || key_.starts_with("GNU.sparse.");
  start_line();
}

void PaxReader::finish() {
  if (used_ != 0) is_broken_ = true;
  start_line();
}

}  // namespace spillway
