#include "sort/string_histograms.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace spillway {

namespace {

constexpr std::size_t kStartBytes = 4;

void count(std::uint64_t value, PowerHistogram& histogram) {
  const auto bucket = static_cast<std::size_t>(std::bit_width(value));
  if (histogram.size() <= bucket) histogram.resize(bucket + 1);
  ++histogram[bucket];
}

std::uint64_t common_bytes(std::string_view a, std::string_view b) {
  const std::size_t least = std::min(a.size(), b.size());
  return static_cast<std::uint64_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(least), b.begin()).first - a.begin());
}

}  // namespace

StringHistograms string_histograms(std::span<const StringRef> strings, std::span<const std::uint32_t> order) {
  StringHistograms all;
  std::uint64_t before = 0, sequence = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string_view text = strings[order[i]].view();
    const bool has_after = i + 1 != order.size();
    const std::string_view next = has_after ? strings[order[i + 1]].view() : std::string_view();
    const std::uint64_t after = has_after ? common_bytes(text, next) : 0;
    count(text.size(), all.lengths);
    count(i != 0 && has_after ? (before + after) / 2 : before + after, all.ties);
    ++sequence;
    if (!has_after || text.substr(0, kStartBytes) != next.substr(0, kStartBytes)) {
      count(sequence, all.equal_starts);
      sequence = 0;
    }
    before = after;
  }
  return all;
}

}  // namespace spillway
