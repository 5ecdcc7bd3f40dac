#include "tools/commands/sort/output/count_output.hpp"

#include <cinttypes>
#include <cstdio>
#include <utility>

namespace spillway {

namespace {

constexpr std::size_t kTextBytes = std::size_t{64} << 10;

}  // namespace

void CountOutput::write(std::span<const std::uint8_t> bytes) {
  std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  while (!text.empty()) {
    const std::size_t end = text.find(order_.format.line_end);
    take(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

void CountOutput::take(std::string_view line) {
  bool is_equal = count_ != 0;
  if (encoder_.has_keys()) {
    key_.clear();
    encoder_.append(line, key_);
    is_equal = is_equal && key_ == first_key_;
  } else {
    is_equal = is_equal && line == first_;
  }
  if (!is_equal) {
    end_group();
    first_ = line;
    std::swap(key_, first_key_);
  }
  ++count_;
}

void CountOutput::end_group() {
  if (count_ == 0) return;
  char number[24];
  const int bytes = std::snprintf(number, sizeof number, "%7" PRIu64 " ", count_);
  text_.append(number, static_cast<std::size_t>(bytes));
  text_ += first_;
  text_ += order_.format.line_end;
  count_ = 0;
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
