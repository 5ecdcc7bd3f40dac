#include "sort/library/string_order.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "io/base/error.hpp"
#include "sort/interface/scratch.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"

namespace spillway {

namespace {

constexpr std::size_t kRange = 16384;  // strings of a task
constexpr std::uint64_t kMostCount = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();

const StringSorter& sorter_named(const std::string& name) {
  if (name == "auto") return auto_string_sorter();
  static_cast<void>(choose_string_sorter(name, 0, 0, {}));  // refuses unknown names
  return *find_string_sorter(name);
}

// Memory for `count` strings and their order.
std::size_t own_bytes(std::size_t count) {
  return round_to_scratch_alignment(count * sizeof(StringRef)) +
         round_to_scratch_alignment(count * sizeof(std::uint32_t)) + kScratchAlignment;
}

std::size_t checked_count(std::size_t count) {
  if (count <= kMostCount) return count;
  throw UsageError("sorting " + std::to_string(count) + " strings in memory: at most " + std::to_string(kMostCount) +
                   " are possible; ExternalStringSorter sorts more");
}

std::size_t checked_bytes(std::size_t count, const StringSorter& sorter, const StringSortOptions& options,
                          std::size_t more_bytes) {
  const std::size_t bytes = own_bytes(count) + sorter.scratch_bytes(count), needed = bytes + count * more_bytes;
  if (options.memory_bytes == 0 || needed <= options.memory_bytes) return bytes;
  throw BudgetError("sorting " + std::to_string(count) + " strings in memory takes " + std::to_string(needed) +
                    " bytes besides them, and memory_bytes is " + std::to_string(options.memory_bytes) +
                    ": raise it, or use ExternalStringSorter");
}

}  // namespace

SortedReferences::SortedReferences(std::span<const std::string_view> strings, const StringSortOptions& options,
                                   std::size_t more_bytes, std::span<std::uint32_t> lcps)
    : budget_(std::numeric_limits<std::size_t>::max()) {
  const std::size_t count = checked_count(strings.size());
  const StringSorter& sorter = sorter_named(options.sorter);
  buffer_ = Buffer(budget_, checked_bytes(count, sorter, options, more_bytes), "sorting strings");
  ScratchArrays arrays(buffer_.span());
  references_ = arrays.take<StringRef>(count);
  order_ = arrays.take<std::uint32_t>(count);
  place(strings);
  sorter.sort(references_, order_, lcps, arrays.take<std::uint8_t>(sorter.scratch_bytes(count)));
  if (options.is_descending) reverse(lcps);
}

void SortedReferences::place(std::span<const std::string_view> strings) {
  std::atomic<bool> are_short{true};
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, strings.size(), kRange), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      if (strings[i].size() > kMostBytes) are_short = false;
      references_[i] = {reinterpret_cast<const std::uint8_t*>(strings[i].data()),
                        static_cast<std::uint32_t>(strings[i].size()), 0};
    }
  });
  if (are_short) return;
  throw UsageError("a string of 4 GiB or more cannot be sorted: at most " + std::to_string(kMostBytes) +
                   " bytes are possible");
}

// Then equal strings stand in the reverse of their order, which is reversed once more.
void SortedReferences::reverse(std::span<std::uint32_t> lcps) {
  std::ranges::reverse(order_);
  if (!lcps.empty()) std::ranges::reverse(lcps.subspan(1));
  const std::size_t count = order_.size(), ranges = (count + kRange - 1) / kRange;
  std::vector<std::size_t> borders(ranges + 1, count);  // no group of equal strings goes across one
  tbb::parallel_for(std::size_t{0}, ranges, [&](std::size_t range) {
    std::size_t border = range * kRange;
    while (border != count && is_repeated(border)) ++border;
    borders[range] = border;
  });
  tbb::parallel_for(std::size_t{0}, ranges, [&](std::size_t range) {
    for (std::size_t begin = borders[range]; begin < borders[range + 1];) {
      std::size_t end = begin + 1;
      while (end != borders[range + 1] && is_repeated(end)) ++end;
      std::ranges::reverse(order_.subspan(begin, end - begin));
      begin = end;
    }
  });
}

}  // namespace spillway
