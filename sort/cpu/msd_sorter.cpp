#include "sort/cpu/msd_sorter.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "sort/cpu/string_items.hpp"
#include "sort/interface/scratch.hpp"

namespace spillway {

namespace {

constexpr std::uint32_t kSmall = 32;                // up to here, insertion sort on the caches
constexpr unsigned kDigitBits = 8;                  // in a pass of one task
constexpr unsigned kWideBits = 14;                  // in a pass of all threads: enough buckets for balance
constexpr std::uint32_t kWideMin = 128u << 10;      // strings that all threads sort together
constexpr std::uint32_t kTaskMin = 8u << 10;        // strings that are worth a task of their own
constexpr std::uint32_t kWideRangeMin = 32u << 10;  // strings per range of such a pass
constexpr std::size_t kWideRanges = 16;             // bounds the scratch for histograms on any machine
constexpr std::size_t kWideBuckets = std::size_t{1} << kWideBits;
constexpr unsigned kCacheBits = 8 * kCacheBytes;

using WideHistogram = std::array<std::uint32_t, kWideBuckets>;

// A segment, and which of the two arrays holds its items.
struct PlacedSegment {
  StringSegment segment;
  unsigned array;
};

// Work to do. shift == kOpen: the segment is unsorted. kDeepen: its caches are equal and go on. Otherwise it is sorted
// by cache >> shift, and its groups of equal digits come next.
struct Frame {
  PlacedSegment placed;
  unsigned shift;
};
constexpr unsigned kOpen = 254, kDeepen = 255;

// Returns the lowest bit of a digit of `bits` bits whose highest bit is the highest differing one.
unsigned digit_shift(std::uint64_t differing, unsigned bits) {
  const auto width = static_cast<unsigned>(std::bit_width(differing));
  return width > bits ? width - bits : 0;
}

class MsdSort {
 public:
  MsdSort(StringSort strings, std::span<StringItem> first, std::span<StringItem> second,
          std::span<WideHistogram> histograms)
      : strings_(strings), arrays_{first, second} {
    if (histograms.empty()) return;
    bucket_ends_ = histograms.back();
    histograms_ = histograms.first(histograms.size() - 1);
  }

  void run() {
    if (arrays_[0].empty()) return;
    strings_.load_all(arrays_[0]);
    sort_wide({{0, static_cast<std::uint32_t>(arrays_[0].size()), 0}, 0});
    tasks_.wait();
  }

 private:
  std::uint64_t differing_bits(const PlacedSegment& placed) const;
  bool next_cache(PlacedSegment& placed) const;
  void sort_wide(PlacedSegment placed);
  void wide_pass(const PlacedSegment& placed, unsigned shift);
  void sort_buckets(const PlacedSegment& placed, std::vector<PlacedSegment>& large);
  void sort_narrow(Frame first);
  Frame take_group(std::vector<Frame>& frames) const;
  void start(Frame frame, std::vector<Frame>& frames, std::vector<StringSegment>& groups) const;
  void open(PlacedSegment placed, std::vector<Frame>& frames, std::vector<StringSegment>& groups) const;
  void narrow_pass(const PlacedSegment& placed, unsigned shift) const;

  StringSort strings_;
  std::array<std::span<StringItem>, 2> arrays_;
  std::span<WideHistogram> histograms_;  // one for each range of a wide pass
  std::span<std::uint32_t> bucket_ends_;
  tbb::task_group tasks_;
};

std::uint64_t MsdSort::differing_bits(const PlacedSegment& placed) const {
  const StringItem* const items = arrays_[placed.array].data();
  const std::uint64_t first = items[placed.segment.begin].cache;
  const auto scan = [&](std::uint32_t begin, std::uint32_t end, std::uint64_t differing) {
    for (std::uint32_t i = begin; i != end; ++i) differing |= items[i].cache ^ first;
    return differing;
  };
  if (placed.segment.size() < kWideMin) return scan(placed.segment.begin, placed.segment.end, 0);
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint32_t>(placed.segment.begin, placed.segment.end, kWideRangeMin), std::uint64_t{0},
      [&](const tbb::blocked_range<std::uint32_t>& range, std::uint64_t differing) {
        return scan(range.begin(), range.end(), differing);
      },
      [](std::uint64_t a, std::uint64_t b) { return a | b; });
}

// Requires: equal caches. Returns false if that puts all strings in their places.
bool MsdSort::next_cache(PlacedSegment& placed) const {
  return strings_.split_ended(placed.segment, arrays_[placed.array], arrays_[1 - placed.array]) &&
         strings_.deepen(placed.segment, arrays_[placed.array]);
}

// Sorts a segment with all threads, by passes over wide digits until its buckets are small. Passes run one at a time,
// so they share the histograms. The segments that wait are disjoint and large, so they are few.
void MsdSort::sort_wide(PlacedSegment first) {
  std::vector<PlacedSegment> large{first};
  while (!large.empty()) {
    PlacedSegment placed = large.back();
    large.pop_back();
    if (placed.segment.size() < kWideMin) {
      sort_narrow({placed, kOpen});
      continue;
    }
    const std::uint64_t differing = differing_bits(placed);
    if (differing == 0) {
      if (next_cache(placed)) large.push_back(placed);
      continue;
    }
    const unsigned shift = digit_shift(differing, kWideBits);
    wide_pass(placed, shift);
    sort_buckets({placed.segment, 1 - placed.array}, large);
  }
}

void MsdSort::wide_pass(const PlacedSegment& placed, unsigned shift) {
  const StringItem* const from = arrays_[placed.array].data();
  StringItem* const to = arrays_[1 - placed.array].data();
  const std::uint32_t begin = placed.segment.begin, count = placed.segment.size();
  const std::size_t range_count = std::clamp<std::size_t>(count / kWideRangeMin, 1, histograms_.size());
  const auto border = [&](std::size_t range) {
    return begin + static_cast<std::uint32_t>(std::uint64_t{count} * range / range_count);
  };
  const auto digit = [shift](const StringItem& item) { return item.cache >> shift & (kWideBuckets - 1); };
  tbb::parallel_for(std::size_t{0}, range_count, [&](std::size_t range) {
    histograms_[range].fill(0);
    for (std::uint32_t i = border(range); i != border(range + 1); ++i) ++histograms_[range][digit(from[i])];
  });
  std::uint32_t place = begin;
  for (std::size_t bucket = 0; bucket < kWideBuckets; ++bucket) {
    for (std::size_t range = 0; range < range_count; ++range) {
      place += std::exchange(histograms_[range][bucket], place);
    }
    bucket_ends_[bucket] = place;
  }
  tbb::parallel_for(std::size_t{0}, range_count, [&](std::size_t range) {
    for (std::uint32_t i = border(range); i != border(range + 1); ++i) {
      to[histograms_[range][digit(from[i])]++] = from[i];
    }
  });
}

// Sorts the buckets of the last wide pass in parallel, except those that are appended to `large` for all threads.
void MsdSort::sort_buckets(const PlacedSegment& placed, std::vector<PlacedSegment>& large) {
  const auto bucket_part = [&](std::size_t bucket) {
    const std::uint32_t begin = bucket == 0 ? placed.segment.begin : bucket_ends_[bucket - 1];
    return PlacedSegment{{begin, bucket_ends_[bucket], placed.segment.depth}, placed.array};
  };
  tbb::parallel_for(std::size_t{0}, kWideBuckets, [&](std::size_t bucket) {
    const PlacedSegment child = bucket_part(bucket);
    if (child.segment.size() != 0 && child.segment.size() < kWideMin) sort_narrow({child, kOpen});
  });
  for (std::size_t bucket = 0; bucket < kWideBuckets; ++bucket) {
    if (const PlacedSegment child = bucket_part(bucket); child.segment.size() >= kWideMin) large.push_back(child);
  }
}

// Sorts a segment in one task; large groups in it become tasks of their own. An explicit stack of frames replaces
// recursion, which would be as deep as prefixes nest.
void MsdSort::sort_narrow(Frame first) {
  std::vector<Frame> frames;
  std::vector<StringSegment> groups;
  start(first, frames, groups);
  while (!frames.empty()) {
    Frame next = frames.back();
    if (next.shift == kDeepen) {
      frames.pop_back();
    } else {
      next = take_group(frames);
    }
    if (next.placed.segment.size() < kTaskMin) {
      start(next, frames, groups);
    } else {
      tasks_.run([this, next] { sort_narrow(next); });
    }
  }
}

// Cuts the next group of equal digits off the last frame, and removes a frame that is empty then.
Frame MsdSort::take_group(std::vector<Frame>& frames) const {
  Frame& frame = frames.back();
  PlacedSegment group = frame.placed;
  const StringItem* const items = arrays_[group.array].data();
  const std::uint64_t digit = items[group.segment.begin].cache >> frame.shift;
  std::uint32_t end = group.segment.begin + 1;
  while (end != frame.placed.segment.end && items[end].cache >> frame.shift == digit) ++end;
  group.segment.end = frame.placed.segment.begin = end;
  if (frame.placed.segment.size() == 0) frames.pop_back();
  return {group, kOpen};
}

void MsdSort::start(Frame frame, std::vector<Frame>& frames, std::vector<StringSegment>& groups) const {
  PlacedSegment& placed = frame.placed;
  if (frame.shift == kDeepen && !strings_.deepen(placed.segment, arrays_[placed.array])) return;
  open(placed, frames, groups);
}

// Sorts a segment by one more digit, or finishes it; further work goes to `frames`.
void MsdSort::open(PlacedSegment placed, std::vector<Frame>& frames, std::vector<StringSegment>& groups) const {
  while (placed.segment.size() > kSmall) {
    const std::uint64_t differing = differing_bits(placed);
    if (differing == 0) {
      if (!next_cache(placed)) return;
      continue;
    }
    const unsigned shift = digit_shift(differing, kDigitBits);
    narrow_pass(placed, shift);
    frames.push_back({{placed.segment, 1 - placed.array}, shift});
    return;
  }
  groups.clear();
  strings_.finish_small(placed.segment, arrays_[placed.array], groups);
  for (const StringSegment& group : groups) frames.push_back({{group, placed.array}, kDeepen});
}

void MsdSort::narrow_pass(const PlacedSegment& placed, unsigned shift) const {
  const StringItem* const from = arrays_[placed.array].data();
  StringItem* const to = arrays_[1 - placed.array].data();
  std::array<std::uint32_t, std::size_t{1} << kDigitBits> next{};
  const auto digit = [shift](const StringItem& item) { return item.cache >> shift & ((1u << kDigitBits) - 1); };
  for (std::uint32_t i = placed.segment.begin; i != placed.segment.end; ++i) ++next[digit(from[i])];
  std::uint32_t place = placed.segment.begin;
  for (std::uint32_t& count : next) place += std::exchange(count, place);
  for (std::uint32_t i = placed.segment.begin; i != placed.segment.end; ++i) to[next[digit(from[i])]++] = from[i];
}

// Returns the number of histograms: one for each range, and one for the ends of the buckets.
std::size_t wide_histograms(std::size_t count) {
  return count < kWideMin ? 0 : std::clamp<std::size_t>(count / kWideRangeMin, 1, kWideRanges) + 1;
}

}  // namespace

std::size_t MsdSorter::scratch_bytes(std::size_t count) const {
  return 2 * round_to_scratch_alignment(count * sizeof(StringItem)) + wide_histograms(count) * sizeof(WideHistogram) +
         kScratchAlignment;
}

void MsdSorter::sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
                     std::span<std::uint8_t> scratch) const {
  check_string_spans(strings, order, lcps);
  ScratchArrays arrays(scratch);
  const std::span<StringItem> first = arrays.take<StringItem>(strings.size());
  const std::span<StringItem> second = arrays.take<StringItem>(strings.size());
  const std::span<WideHistogram> histograms = arrays.take<WideHistogram>(wide_histograms(strings.size()));
  MsdSort(StringSort(strings, order), first, second, histograms).run();
  compute_lcps(strings, order, lcps);
}

}  // namespace spillway
