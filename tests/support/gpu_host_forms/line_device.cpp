#include "tests/support/gpu_host_forms/line_device.hpp"

#include <algorithm>
#include <string_view>

#include "sort/gpu/device/error.hpp"

namespace spillway::testing {

void HostLineDevice::count_call() {
  if (++calls_ == failing_call_) throw GpuError("a fault that a test asked for");
}

std::span<std::uint8_t> HostLineDevice::next_input() {
  count_call();
  const bool fits = options_.memory_bytes == 0 || text_.size() + buffer_.size() <= options_.memory_bytes;
  return std::span(buffer_).first(fits ? buffer_.size() : 0);
}

void HostLineDevice::add(std::size_t bytes) {
  count_call();
  text_.append(reinterpret_cast<const char*>(buffer_.data()), bytes);
}

std::uint64_t HostLineDevice::sort() {
  count_call();
  const char line_end = static_cast<char>(options_.order.line_end);
  std::vector<std::string_view> lines;
  std::size_t begin = 0;
  for (std::size_t end = text_.find(line_end); end != std::string::npos; end = text_.find(line_end, begin)) {
    lines.push_back(std::string_view(text_).substr(begin, end - begin));
    begin = end + 1;
  }
  lines_ = lines.size();
  std::ranges::sort(lines);
  if (options_.order.is_unique) lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  if (options_.order.is_descending) std::ranges::reverse(lines);
  sorted_.clear();
  for (const std::string_view line : lines) sorted_.append(line).push_back(line_end);
  text_.clear();
  taken_ = 0;
  if (!sorted_.empty()) ++blocks_;
  return sorted_.size();
}

std::span<const std::uint8_t> HostLineDevice::next_output() {
  count_call();
  if (taken_ == sorted_.size()) return {};
  const std::size_t begin = taken_, half = begin + options_.buffer_bytes / 2;
  const std::size_t end =
      half < sorted_.size() ? sorted_.find(static_cast<char>(options_.order.line_end), half) : sorted_.size() - 1;
  taken_ = end + 1;
  return {reinterpret_cast<const std::uint8_t*>(sorted_.data()) + begin, taken_ - begin};
}

}  // namespace spillway::testing
