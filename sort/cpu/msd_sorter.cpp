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
#include "sort/interface/scratch_pieces.hpp"

namespace spillway {

namespace {

constexpr std::uint32_t kSmall = 32;                // below, insertion sort on the caches
constexpr unsigned kDigitBits = 8;                  // of a pass of one task
constexpr unsigned kWideBits = 14;                  // of a pass of all threads: enough buckets to balance
constexpr std::uint32_t kWideMin = 128u << 10;      // strings that all threads sort together
constexpr std::uint32_t kTaskMin = 8u << 10;        // strings that are worth a task of their own
constexpr std::uint32_t kWideRangeMin = 32u << 10;  // strings a range of such a pass
constexpr std::size_t kWideRanges = 16;             // histograms are scratch: bounded whatever the machine
constexpr std::size_t kWideBuckets = std::size_t{1} << kWideBits;
constexpr unsigned kCacheBits = 8 * kCacheBytes;

using WideHistogram = std::array<std::uint32_t, kWideBuckets>;

// A segment whose items stand in one of the two arrays.
struct Part {
  StringSegment segment;
  unsigned array;
};

// What is to be done in a part: nothing is known of it yet (kOpen), it has equal caches that go on (kDeepen), or it is
// sorted by cache >> shift and its runs of equal digits come next.
struct Frame {
  Part part;
  unsigned shift;
};
constexpr unsigned kOpen = 254, kDeepen = 255;

// The lowest bit of a digit of `bits` bits that starts at the highest differing bit.
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
  std::uint64_t differing_bits(const Part& part) const;
  bool next_window(Part& part) const;
  void sort_wide(Part part);
  void wide_pass(const Part& part, unsigned shift);
  void sort_buckets(const Part& part, std::vector<Part>& large);
  void sort_narrow(Frame first);
  Frame take_run(std::vector<Frame>& frames) const;
  void start(Frame frame, std::vector<Frame>& frames, std::vector<StringSegment>& groups) const;
  void open(Part part, std::vector<Frame>& frames, std::vector<StringSegment>& groups) const;
  void narrow_pass(const Part& part, unsigned shift) const;

  StringSort strings_;
  std::array<std::span<StringItem>, 2> arrays_;
  std::span<WideHistogram> histograms_;  // one a range of a wide pass
  std::span<std::uint32_t> bucket_ends_;
  tbb::task_group tasks_;
};

std::uint64_t MsdSort::differing_bits(const Part& part) const {
  const StringItem* const items = arrays_[part.array].data();
  const std::uint64_t first = items[part.segment.begin].cache;
  const auto scan = [&](std::uint32_t begin, std::uint32_t end, std::uint64_t differing) {
    for (std::uint32_t i = begin; i != end; ++i) differing |= items[i].cache ^ first;
    return differing;
  };
  if (part.segment.size() < kWideMin) return scan(part.segment.begin, part.segment.end, 0);
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint32_t>(part.segment.begin, part.segment.end, kWideRangeMin), std::uint64_t{0},
      [&](const tbb::blocked_range<std::uint32_t>& range, std::uint64_t differing) {
        return scan(range.begin(), range.end(), differing);
      },
      [](std::uint64_t a, std::uint64_t b) { return a | b; });
}

// Requires: equal caches. False where that settles all.
bool MsdSort::next_window(Part& part) const {
  return strings_.split_ended(part.segment, arrays_[part.array], arrays_[1 - part.array]) &&
         strings_.deepen(part.segment, arrays_[part.array]);
}

// Sorts a part with all threads: passes over wide digits until its pieces are small. Only one runs at a time, so they
// share the histograms; the parts that wait are disjoint and large, so they are few.
void MsdSort::sort_wide(Part first) {
  std::vector<Part> large{first};
  while (!large.empty()) {
    Part part = large.back();
    large.pop_back();
    if (part.segment.size() < kWideMin) {
      sort_narrow({part, kOpen});
      continue;
    }
    const std::uint64_t differing = differing_bits(part);
    if (differing == 0) {
      if (next_window(part)) large.push_back(part);
      continue;
    }
    const unsigned shift = digit_shift(differing, kWideBits);
    wide_pass(part, shift);
    sort_buckets({part.segment, 1 - part.array}, large);
  }
}

void MsdSort::wide_pass(const Part& part, unsigned shift) {
  const StringItem* const from = arrays_[part.array].data();
  StringItem* const to = arrays_[1 - part.array].data();
  const std::uint32_t begin = part.segment.begin, count = part.segment.size();
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

// Sorts the buckets of the pass just done in parallel; those that all threads should share are appended to `large`.
void MsdSort::sort_buckets(const Part& part, std::vector<Part>& large) {
  const auto bucket_part = [&](std::size_t bucket) {
    const std::uint32_t begin = bucket == 0 ? part.segment.begin : bucket_ends_[bucket - 1];
    return Part{{begin, bucket_ends_[bucket], part.segment.depth}, part.array};
  };
  tbb::parallel_for(std::size_t{0}, kWideBuckets, [&](std::size_t bucket) {
    const Part child = bucket_part(bucket);
    if (child.segment.size() != 0 && child.segment.size() < kWideMin) sort_narrow({child, kOpen});
  });
  for (std::size_t bucket = 0; bucket < kWideBuckets; ++bucket) {
    if (const Part child = bucket_part(bucket); child.segment.size() >= kWideMin) large.push_back(child);
  }
}

// Sorts a part in one task, but for large pieces, which become tasks. The frames are a stack of their own: as deep as
// prefixes nest, whatever the strings.
void MsdSort::sort_narrow(Frame first) {
  std::vector<Frame> frames;
  std::vector<StringSegment> groups;
  start(first, frames, groups);
  while (!frames.empty()) {
    Frame next = frames.back();
    if (next.shift == kDeepen) {
      frames.pop_back();
    } else {
      next = take_run(frames);
    }
    if (next.part.segment.size() < kTaskMin) {
      start(next, frames, groups);
    } else {
      tasks_.run([this, next] { sort_narrow(next); });
    }
  }
}

// Cuts the next run of equal digits off the last frame, and drops the frame with its last one.
Frame MsdSort::take_run(std::vector<Frame>& frames) const {
  Frame& frame = frames.back();
  Part run = frame.part;
  const StringItem* const items = arrays_[run.array].data();
  const std::uint64_t digit = items[run.segment.begin].cache >> frame.shift;
  std::uint32_t end = run.segment.begin + 1;
  while (end != frame.part.segment.end && items[end].cache >> frame.shift == digit) ++end;
  run.segment.end = frame.part.segment.begin = end;
  if (frame.part.segment.size() == 0) frames.pop_back();
  return {run, kOpen};
}

void MsdSort::start(Frame frame, std::vector<Frame>& frames, std::vector<StringSegment>& groups) const {
  Part& part = frame.part;
  if (frame.shift == kDeepen && !strings_.deepen(part.segment, arrays_[part.array])) return;
  open(part, frames, groups);
}

// Sorts a part by one more digit, or finishes it; what is left to do goes to `frames`.
void MsdSort::open(Part part, std::vector<Frame>& frames, std::vector<StringSegment>& groups) const {
  while (part.segment.size() > kSmall) {
    const std::uint64_t differing = differing_bits(part);
    if (differing == 0) {
      if (!next_window(part)) return;
      continue;
    }
    const unsigned shift = digit_shift(differing, kDigitBits);
    narrow_pass(part, shift);
    frames.push_back({{part.segment, 1 - part.array}, shift});
    return;
  }
  groups.clear();
  strings_.finish_small(part.segment, arrays_[part.array], groups);
  for (const StringSegment& group : groups) frames.push_back({{group, part.array}, kDeepen});
}

void MsdSort::narrow_pass(const Part& part, unsigned shift) const {
  const StringItem* const from = arrays_[part.array].data();
  StringItem* const to = arrays_[1 - part.array].data();
  std::array<std::uint32_t, std::size_t{1} << kDigitBits> next{};
  const auto digit = [shift](const StringItem& item) { return item.cache >> shift & ((1u << kDigitBits) - 1); };
  for (std::uint32_t i = part.segment.begin; i != part.segment.end; ++i) ++next[digit(from[i])];
  std::uint32_t place = part.segment.begin;
  for (std::uint32_t& count : next) place += std::exchange(count, place);
  for (std::uint32_t i = part.segment.begin; i != part.segment.end; ++i) to[next[digit(from[i])]++] = from[i];
}

// One a range, and one for where the buckets end.
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
  ScratchPieces pieces(scratch);
  const std::span<StringItem> first = pieces.take<StringItem>(strings.size());
  const std::span<StringItem> second = pieces.take<StringItem>(strings.size());
  const std::span<WideHistogram> histograms = pieces.take<WideHistogram>(wide_histograms(strings.size()));
  MsdSort(StringSort(strings, order), first, second, histograms).run();
  compute_lcps(strings, order, lcps);
}

}  // namespace spillway
