#include "sort/cpu/multikey_sorter.hpp"

#include <tbb/task_group.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "sort/cpu/string_items.hpp"
#include "sort/interface/scratch.hpp"

namespace spillway {

namespace {

constexpr std::uint32_t kSmall = 24;           // up to here, insertion sort on the caches
constexpr std::uint32_t kTaskMin = 16u << 10;  // strings that are worth a task of their own
constexpr std::uint32_t kNinther = 256;        // from here on, the pivot is a median of nine

// A segment to sort. If `deepen` is set, its caches are equal and the next ones must be loaded. `levels_left` bounds
// the levels of sampled pivots; after them, pivots halve the range of values.
struct Work {
  StringSegment segment;
  std::uint16_t levels_left;
  bool deepen;
};

std::uint16_t level_bound(std::uint32_t count) { return static_cast<std::uint16_t>(3 * std::bit_width(count)); }

std::uint64_t median(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

}  // namespace

class MultikeySort {
 public:
  MultikeySort(StringSort strings, std::span<StringItem> items, std::span<StringItem> spare)
      : strings_(strings), items_(items), spare_(spare) {}

  void run() {
    strings_.load_all(items_);
    const auto count = static_cast<std::uint32_t>(items_.size());
    sort({{0, count, 0}, level_bound(count), false});
    tasks_.wait();
  }

  // Sorts a segment of equal caches, whose items are set except for the caches.
  void finish(StringSegment segment, std::vector<Work>& todo) {
    if (strings_.split_ended(segment, items_, spare_)) hand_on({segment, 0, true}, todo);
    work_off(todo);
  }
  void wait() { tasks_.wait(); }

 private:
  struct Borders {
    std::uint32_t equal_begin, equal_end;
  };

  void sort(Work first);
  void work_off(std::vector<Work>& todo);
  void step(Work work, std::vector<Work>& todo);
  void hand_on(Work work, std::vector<Work>& todo);
  std::uint64_t choose_pivot(const Work& work) const;
  Borders partition(StringSegment segment, std::uint64_t pivot);

  StringSort strings_;
  std::span<StringItem> items_, spare_;
  tbb::task_group tasks_;
};

// An explicit stack replaces recursion, which would be as deep as prefixes nest and partitions halve.
void MultikeySort::sort(Work first) {
  std::vector<Work> todo{first};
  work_off(todo);
}

void MultikeySort::work_off(std::vector<Work>& todo) {
  while (!todo.empty()) {
    const Work work = todo.back();
    todo.pop_back();
    step(work, todo);
  }
}

void MultikeySort::hand_on(Work work, std::vector<Work>& todo) {
  if (work.segment.size() == 0) return;
  if (work.segment.size() < kTaskMin) {
    todo.push_back(work);
  } else {
    tasks_.run([this, work] { sort(work); });
  }
}

void MultikeySort::step(Work work, std::vector<Work>& todo) {
  if (work.deepen) {
    if (!strings_.deepen(work.segment, items_)) return;
    work.levels_left = level_bound(work.segment.size());
  }
  if (work.segment.size() <= kSmall) {
    std::vector<StringSegment> groups;
    strings_.finish_small(work.segment, items_, groups);
    for (const StringSegment& group : groups) todo.push_back({group, 0, true});
    return;
  }
  const Borders borders = partition(work.segment, choose_pivot(work));
  if (work.levels_left != 0) --work.levels_left;
  const std::uint32_t depth = work.segment.depth;
  Work equal{{borders.equal_begin, borders.equal_end, depth}, 0, true};
  hand_on({{work.segment.begin, borders.equal_begin, depth}, work.levels_left, false}, todo);
  hand_on({{borders.equal_end, work.segment.end, depth}, work.levels_left, false}, todo);
  if (strings_.split_ended(equal.segment, items_, spare_)) hand_on(equal, todo);
}

std::uint64_t MultikeySort::choose_pivot(const Work& work) const {
  const StringItem* const items = items_.data() + work.segment.begin;
  const std::uint32_t count = work.segment.size();
  if (work.levels_left == 0) {
    std::uint64_t least = items[0].cache, greatest = least;
    for (std::uint32_t i = 1; i < count; ++i) {
      least = std::min(least, items[i].cache);
      greatest = std::max(greatest, items[i].cache);
    }
    return std::midpoint(least, greatest);
  }
  const auto sample = [&](std::uint32_t part) { return items[std::uint64_t{count - 1} * part / 8].cache; };
  if (count < kNinther) return median(sample(1), sample(4), sample(7));
  return median(median(sample(0), sample(1), sample(2)), median(sample(3), sample(4), sample(5)),
                median(sample(6), sample(7), sample(8)));
}

// Stable three-way partition without branches. Smaller items stay; equal ones go to the front of the spare array,
// greater ones to its back. O(size).
MultikeySort::Borders MultikeySort::partition(StringSegment segment, std::uint64_t pivot) {
  StringItem* const items = items_.data();
  StringItem* const spare = spare_.data();
  std::uint32_t smaller = segment.begin, equal = segment.begin, greater = segment.end;
  for (std::uint32_t i = segment.begin; i != segment.end; ++i) {
    const StringItem item = items[i];
    items[smaller] = item;
    spare[equal] = item;
    spare[greater - 1] = item;
    smaller += item.cache < pivot ? 1 : 0;
    equal += item.cache == pivot ? 1 : 0;
    greater -= item.cache > pivot ? 1 : 0;
  }
  const std::uint32_t equal_end = smaller + (equal - segment.begin);
  std::copy(spare + segment.begin, spare + equal, items + smaller);
  std::reverse_copy(spare + greater, spare + segment.end, items + equal_end);
  return {smaller, equal_end};
}

std::size_t MultikeySorter::scratch_bytes(std::size_t count) const {
  return 2 * round_to_scratch_alignment(count * sizeof(StringItem)) + kScratchAlignment;
}

void MultikeySorter::sort(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                          std::span<std::uint32_t> lcps, std::span<std::uint8_t> scratch) const {
  check_string_spans(strings, order, lcps);
  ScratchArrays arrays(scratch);
  const std::span<StringItem> items = arrays.take<StringItem>(strings.size());
  const std::span<StringItem> spare = arrays.take<StringItem>(strings.size());
  if (!strings.empty()) MultikeySort(StringSort(strings, order), items, spare).run();
  compute_lcps(strings, order, lcps);
}

MultikeyFinisher::MultikeyFinisher(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                                   std::span<std::uint8_t> scratch)
    : strings_(strings), order_(order) {
  ScratchArrays arrays(scratch);
  items_ = arrays.take<StringItem>(strings.size());
  const std::span<StringItem> spare = arrays.take<StringItem>(strings.size());
  sort_ = std::make_unique<MultikeySort>(StringSort(strings, order), items_, spare);
}

MultikeyFinisher::~MultikeyFinisher() { sort_->wait(); }

void MultikeyFinisher::finish(std::span<const StringSegment> segments) {
  std::vector<Work> todo;
  for (const StringSegment& segment : segments) {
    for (std::uint32_t i = segment.begin; i != segment.end; ++i) {
      items_[i] = {0, order_[i], strings_[order_[i]].bytes};
    }
    sort_->finish(segment, todo);
  }
}

void MultikeyFinisher::wait() { sort_->wait(); }

}  // namespace spillway
