#include "sort/gpu/hybrid_msd/sorter.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <vector>

#include "sort/cpu/multikey_sorter.hpp"
#include "sort/cpu/string_items.hpp"
#include "sort/gpu/device/staged_copy.hpp"
#include "sort/gpu/string/tie_groups.hpp"
#include "sort/interface/scratch.hpp"

namespace spillway {

namespace {

constexpr std::size_t kTaskStrings = 8192;
constexpr std::size_t kMinBufferBytes = std::size_t{64} << 10, kMaxBufferBytes = std::size_t{8} << 20;

std::size_t buffer_bytes(std::size_t count) { return std::clamp(count * 8, kMinBufferBytes, kMaxBufferBytes); }

// Returns how many bytes all strings share. O(strings), or less where they share none.
std::uint32_t find_root(std::span<const StringRef> strings) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(1, strings.size(), kTaskStrings), strings[0].bytes,
      [&](const tbb::blocked_range<std::size_t>& range, std::uint32_t shared) {
        for (std::size_t i = range.begin(); i != range.end() && shared != 0; ++i) {
          shared = common_prefix(strings[0], strings[i], 0, shared);
        }
        return shared;
      },
      [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); });
}

// One sort.
class HybridMsd {
 public:
  HybridMsd(std::span<const StringRef> strings, std::span<std::uint32_t> order, ScratchArrays& arrays)
      : strings_(strings),
        order_(order),
        root_(find_root(strings)),
        words_(arrays.take<std::uint32_t>(TieGroups::word_count(strings.size()))),
        finisher_(strings, order, arrays.take<std::uint8_t>(MultikeyFinisher::scratch_bytes(strings.size()))) {}

  void run(PrefixSort& prefixes) {
    prefixes.load([&](std::span<std::uint64_t> to, std::size_t from) { write_prefixes(to, from); });
    prefixes.sort();
    prefixes.take_ties(words_);
    prefixes.take_order([&](std::span<const std::uint32_t> numbers, std::size_t from) { take_order(numbers, from); });
    finisher_.wait();
  }

 private:
  void write_prefixes(std::span<std::uint64_t> to, std::size_t from) const {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, to.size(), kTaskStrings),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        for (std::size_t i = range.begin(); i != range.end(); ++i) {
                          to[i] = load_cache(strings_[from + i], root_);
                        }
                      });
  }

  // Finishes the groups of ties that have arrived completely, while the next numbers are copied.
  void take_order(std::span<const std::uint32_t> numbers, std::size_t from) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, numbers.size(), kTaskStrings),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        std::copy(numbers.begin() + static_cast<std::ptrdiff_t>(range.begin()),
                                  numbers.begin() + static_cast<std::ptrdiff_t>(range.end()),
                                  order_.begin() + static_cast<std::ptrdiff_t>(from + range.begin()));
                      });
    const TieGroups groups(words_, static_cast<std::uint32_t>(order_.size()));
    const std::uint32_t whole = groups.begin_of_group(static_cast<std::uint32_t>(from + numbers.size()));
    if (whole <= finished_) return;
    tbb::parallel_for(tbb::blocked_range<std::uint32_t>(finished_, whole, kTaskStrings),
                      [&](const tbb::blocked_range<std::uint32_t>& range) {
                        std::vector<StringSegment> segments;
                        groups.for_each(range.begin(), range.end(), whole, [&](std::uint32_t begin, std::uint32_t end) {
                          segments.push_back({begin, end, root_});
                        });
                        finisher_.finish(segments);
                      });
    finished_ = whole;
  }

  std::span<const StringRef> strings_;
  std::span<std::uint32_t> order_;
  std::uint32_t root_;
  std::span<std::uint32_t> words_;  // of TieGroups
  MultikeyFinisher finisher_;
  std::uint32_t finished_ = 0;
};

}  // namespace

std::size_t HybridMsdSorter::scratch_bytes(std::size_t count) const {
  const std::size_t words = TieGroups::word_count(count) * sizeof(std::uint32_t);
  return kScratchAlignment + round_to_scratch_alignment(words) +
         round_to_scratch_alignment(MultikeyFinisher::scratch_bytes(count)) +
         round_to_scratch_alignment(StagedCopy::memory_bytes(buffer_bytes(count)));
}

void HybridMsdSorter::sort(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                           std::span<std::uint32_t> lcps, std::span<std::uint8_t> scratch) const {
  check_string_spans(strings, order, lcps);
  if (strings.empty()) return;
  ScratchArrays arrays(scratch);
  HybridMsd sort(strings, order, arrays);
  const auto memory = arrays.take<std::uint8_t>(StagedCopy::memory_bytes(buffer_bytes(strings.size())));
  sort.run(*make_prefix_sort(strings.size(), memory));
  compute_lcps(strings, order, lcps);
}

std::unique_ptr<PrefixSort> HybridMsdSorter::make_prefix_sort(std::size_t count, std::span<std::uint8_t> memory) const {
  return gpu_prefix_sort(count, memory, gpus_);
}

}  // namespace spillway
