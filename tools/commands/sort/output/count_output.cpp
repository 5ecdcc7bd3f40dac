#include "tools/commands/sort/output/count_output.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "io/base/bytes.hpp"

namespace spillway {

namespace {

constexpr std::size_t kTextBytes = std::size_t{64} << 10;
constexpr std::size_t kNumberBytes = 21;  // the longest number, and a blank

}  // namespace

void CountOutput::write(std::span<const std::uint8_t> bytes) {
  std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  while (!text.empty()) {
    // An input that changes while it is sorted may have lost the end of its last line.
    const std::size_t end = std::min(text.find(order_.format.line_end), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void CountOutput::take(std::string_view line) {
  const bool is_equal = is_of_group(line);
  if (!is_equal) {
    end_group();
    std::swap(key_, first_key_);
  }
  if (key_.capacity() > kLongLine) std::string().swap(key_);
  if (!is_equal) begin_group(line);
  ++count_;
}

// Leaves the keys of the line in key_.
bool CountOutput::is_of_group(std::string_view line) {
  if (!encoder_.has_keys())
    return count_ != 0 && line == std::string_view(first_).substr(kNumberBytes, first_.size() - kNumberBytes - 1);
  key_.clear();
  if (line.size() >= kLongLine) key_.reserve(encoder_.key_bytes(line).most);
  encoder_.append(line, key_);
  return count_ != 0 && key_ == first_key_;
}

void CountOutput::begin_group(std::string_view line) {
  if (first_.capacity() > kLongLine) std::string().swap(first_);
  first_.reserve(kNumberBytes + line.size() + 1);
  first_.assign(kNumberBytes, ' ');
  first_ += line;
  first_ += order_.format.line_end;
}

void CountOutput::end_group() {
  if (count_ == 0) return;
  char number[kNumberBytes + 1];
  const auto bytes =
      static_cast<std::size_t>(std::snprintf(number, sizeof number, "%7" PRIu64 " ", std::exchange(count_, 0)));
  first_.replace(kNumberBytes - bytes, bytes, number, bytes);
  const std::string_view counted = std::string_view(first_).substr(kNumberBytes - bytes);
  if (counted.size() >= kLongLine) {
    flush();
    output_.write(bytes_of(counted));
    return;
  }
  text_ += counted;
  if (text_.size() >= kTextBytes) flush();
}

void CountOutput::flush() {
  if (!text_.empty()) output_.write({reinterpret_cast<const std::uint8_t*>(text_.data()), text_.size()});
  text_.clear();
}

void CountOutput::finish() {
  end_group();
  flush();
}

}  // namespace spillway
