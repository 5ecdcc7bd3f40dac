#include "sort/cpu/msd_sorter.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>

#include "io/base/stopwatch.hpp"
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

enum class MsdStep : std::uint8_t { kLoad, kHistogram, kMoveKeys, kRecursion };
constexpr std::array<std::string_view, 4> kStepNames{"load", "histogram", "move keys", "recursion"};

// The times of the steps of one sort. Work may be added by any thread.
class MsdClock {
 public:
  // Steps of one thread follow each other.
  template <typename Step>
  void time_wall(MsdStep step, Step run) {
    const Stopwatch watch;
    run();
    wall_[static_cast<std::size_t>(step)] += watch.seconds();
  }
  template <typename Work>
  void time_work(MsdStep step, Work run) {
    const Stopwatch watch;
    run();
    work_nanoseconds_[static_cast<std::size_t>(step)] += static_cast<std::uint64_t>(watch.seconds() * 1e9);
  }
  SortSteps steps() const {
    SortSteps all;
    for (std::size_t i = 0; i < kStepNames.size(); ++i) {
      all.steps.push_back({kStepNames[i], wall_[i], static_cast<double>(work_nanoseconds_[i].load()) / 1e9});
    }
    return all;
  }

 private:
  std::array<double, kStepNames.size()> wall_{};
  std::array<std::atomic<std::uint64_t>, kStepNames.size()> work_nanoseconds_{};
};

// Returns the lowest bit of a digit of `bits` bits whose highest bit is the highest differing one.
unsigned digit_shift(std::uint64_t differing, unsigned bits) {
  const auto width = static_cast<unsigned>(std::bit_width(differing));
  return width > bits ? width - bits : 0;
}

class MsdSort {
 public:
  MsdSort(StringSort strings, std::span<StringItem> first, std::span<StringItem> second,
          std::span<WideHistogram> histograms, MsdClock* clock)
      : strings_(strings), arrays_{first, second}, clock_(clock) {
    if (histograms.empty()) return;
    bucket_ends_ = histograms.back();
    histograms_ = histograms.first(histograms.size() - 1);
  }

  void run() {
    if (arrays_[0].empty()) return;
    step(MsdStep::kLoad, [&] { work(MsdStep::kLoad, [&] { strings_.load_all(arrays_[0]); }); });
    sort_wide({{0, static_cast<std::uint32_t>(arrays_[0].size()), 0}, 0});
    step(MsdStep::kRecursion, [&] { tasks_.wait(); });
  }

 private:
  template <typename Step>
  void step(MsdStep of, Step run) {
    if (clock_ != nullptr) return clock_->time_wall(of, run);
    run();
  }
  template <typename Work>
  void work(MsdStep of, Work run) {
    if (clock_ != nullptr) return clock_->time_work(of, run);
    run();
  }
  std::uint64_t differing_bits(const PlacedSegment& placed) const;
  bool next_cache(PlacedSegment& placed) const;
  void sort_wide(PlacedSegment placed);
  void wide_pass(const PlacedSegment& placed, unsigned shift);
  void find_places(std::uint32_t begin, std::size_t range_count);
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
  MsdClock* clock_;  // null: no times are taken
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
      step(MsdStep::kRecursion, [&] { work(MsdStep::kRecursion, [&] { sort_narrow({placed, kOpen}); }); });
      continue;
    }
    const std::uint64_t differing = differing_bits(placed);
    if (differing == 0) {
      if (next_cache(placed)) large.push_back(placed);
      continue;
    }
    const unsigned shift = digit_shift(differing, kWideBits);
    wide_pass(placed, shift);
    step(MsdStep::kRecursion, [&] { sort_buckets({placed.segment, 1 - placed.array}, large); });
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
  step(MsdStep::kHistogram, [&] {
    tbb::parallel_for(std::size_t{0}, range_count, [&](std::size_t range) {
      work(MsdStep::kHistogram, [&] {
        histograms_[range].fill(0);
        for (std::uint32_t i = border(range); i != border(range + 1); ++i) ++histograms_[range][digit(from[i])];
      });
    });
    work(MsdStep::kHistogram, [&] { find_places(begin, range_count); });
  });
  step(MsdStep::kMoveKeys, [&] {
    tbb::parallel_for(std::size_t{0}, range_count, [&](std::size_t range) {
      work(MsdStep::kMoveKeys, [&] {
        for (std::uint32_t i = border(range); i != border(range + 1); ++i) {
          to[histograms_[range][digit(from[i])]++] = from[i];
        }
      });
    });
  });
}

// Replaces the counts of the histograms by the places where the keys go, from `begin` on.
void MsdSort::find_places(std::uint32_t begin, std::size_t range_count) {
  std::uint32_t place = begin;
  for (std::size_t bucket = 0; bucket < kWideBuckets; ++bucket) {
    for (std::size_t range = 0; range < range_count; ++range) {
      place += std::exchange(histograms_[range][bucket], place);
    }
    bucket_ends_[bucket] = place;
  }
}

// Sorts the buckets of the last wide pass in parallel, except those that are appended to `large` for all threads.
void MsdSort::sort_buckets(const PlacedSegment& placed, std::vector<PlacedSegment>& large) {
  const auto bucket_part = [&](std::size_t bucket) {
    const std::uint32_t begin = bucket == 0 ? placed.segment.begin : bucket_ends_[bucket - 1];
    return PlacedSegment{{begin, bucket_ends_[bucket], placed.segment.depth}, placed.array};
  };
  tbb::parallel_for(std::size_t{0}, kWideBuckets, [&](std::size_t bucket) {
    const PlacedSegment child = bucket_part(bucket);
    if (child.segment.size() == 0 || child.segment.size() >= kWideMin) return;
    work(MsdStep::kRecursion, [&] { sort_narrow({child, kOpen}); });
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
      tasks_.run([this, next] { work(MsdStep::kRecursion, [&] { sort_narrow(next); }); });
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

namespace {

void sort_strings(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint8_t> scratch,
                  MsdClock* clock) {
  ScratchArrays arrays(scratch);
  const std::span<StringItem> first = arrays.take<StringItem>(strings.size());
  const std::span<StringItem> second = arrays.take<StringItem>(strings.size());
  const std::span<WideHistogram> histograms = arrays.take<WideHistogram>(wide_histograms(strings.size()));
  MsdSort(StringSort(strings, order), first, second, histograms, clock).run();
}

}  // namespace

void MsdSorter::sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
                     std::span<std::uint8_t> scratch) const {
  check_string_spans(strings, order, lcps);
  sort_strings(strings, order, scratch, nullptr);
  compute_lcps(strings, order, lcps);
}

SortSteps MsdSorter::sort_in_steps(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                                   std::span<std::uint8_t> scratch) const {
  check_string_spans(strings, order, {});
  MsdClock clock;
  sort_strings(strings, order, scratch, &clock);
  return clock.steps();
}

}  // namespace spillway
