#include "sort/lines/block/item_sorter.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <utility>

namespace spillway {

namespace {

constexpr std::uint32_t kSmall = kMostSmallItems;  // up to here, one step sorts by the caches
constexpr std::uint32_t kFewStrings = 8;           // up to here, insertion sort on whole strings
constexpr std::uint32_t kAhead = 32;               // items whose texts are loaded early
constexpr std::size_t kMostWaiting = 512;          // groups, before they are loaded
constexpr std::size_t kTaskItems = 32768;          // that are worth a task of their own

std::uint64_t middle(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// The cache in the middle of three of them, or of nine. Which ones depends on the caches, so that no order of the input
// that occurs by itself makes all pivots bad.
std::uint64_t choose_pivot(std::span<const LineItem> items) {
  std::uint64_t state = items.front().cache ^ items.back().cache;
  const auto any = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
    return items[(state >> 32) * items.size() >> 32].cache;
  };
  const auto middle_of_any = [&] {
    const std::uint64_t a = any(), b = any();
    return middle(a, b, any());
  };
  if (items.size() < 256) return middle_of_any();
  const std::uint64_t a = middle_of_any(), b = middle_of_any();
  return middle(a, b, middle_of_any());
}

// Brings the items that satisfy `is_first` to the front and returns their number. Has no branch that depends on them.
template <typename IsFirst>
std::uint32_t bring_first(std::span<LineItem> items, const IsFirst& is_first) {
  std::uint32_t count = 0;
  for (LineItem& item : items) {
    const LineItem taken = item;
    item = items[count];
    items[count] = taken;
    count += is_first(taken.cache) ? 1 : 0;
  }
  return count;
}

// Splits items into those whose caches are less than a pivot, and the others; if none is less, into those that equal
// it, and the others.
struct Split {
  std::uint32_t count;
  bool are_equal;  // the first `count`
};
Split split_items(std::span<LineItem> items) {
  const std::uint64_t pivot = choose_pivot(items);
  const std::uint32_t less = bring_first(items, [=](std::uint64_t cache) { return cache < pivot; });
  if (less != 0) return {less, false};
  return {bring_first(items, [=](std::uint64_t cache) { return cache == pivot; }), true};
}

// Sorts few items. Stays within them even if keys change meanwhile, as those of mapped text may.
template <typename Key>
void insert_by(std::span<LineItem> items, const Key& key) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    const LineItem item = items[i];
    const auto of_item = key(item);
    std::size_t at = i;
    for (; at != 0 && of_item < key(items[at - 1]); --at) items[at] = items[at - 1];
    items[at] = item;
  }
}

}  // namespace

void ItemSorter::sort(std::span<LineItem> items, std::uint32_t depth) {
  items_ = items;
  open({0, static_cast<std::uint32_t>(items.size()), depth});
  open_all(0, 0);
  finish_waiting(0);
}

std::span<LineItem> ItemSorter::load_next(std::span<LineItem> items, std::uint32_t& depth) {
  items_ = items;
  Group group{0, static_cast<std::uint32_t>(items.size()), depth};
  finish_equal(group);
  if (group.size() < 2 || !deepen(group)) return {};
  depth = group.depth;
  return items.subspan(group.begin);
}

// Sorts the groups that were opened since there were `open_before` by their caches. Groups that wait, more than
// `waiting_before`, are finished when there are many; so this recurses once for many groups of a level.
void ItemSorter::open_all(std::size_t open_before, std::size_t waiting_before) {
  while (open_.size() != open_before) {
    const Group group = open_.back();
    open_.pop_back();
    open(group);
    if (waiting_.size() >= waiting_before + kMostWaiting) finish_waiting(waiting_before);
  }
}

void ItemSorter::finish_waiting(std::size_t waiting_before) {
  while (waiting_.size() != waiting_before) {
    const std::vector<Group> groups(waiting_.begin() + static_cast<std::ptrdiff_t>(waiting_before), waiting_.end());
    waiting_.resize(waiting_before);
    std::size_t group_ahead = 0, ahead = 0, done = 0;
    std::uint32_t item_ahead = groups.front().begin;
    for (Group group : groups) {
      done += group.size();
      for (; ahead < done + kAhead && group_ahead != groups.size(); ++ahead) {
        __builtin_prefetch(strings_.data(items_[item_ahead]) + groups[group_ahead].depth + kCachedBytes);
        if (++item_ahead != groups[group_ahead].end) continue;
        if (++group_ahead != groups.size()) item_ahead = groups[group_ahead].begin;
      }
      if (group.size() <= kFewStrings) {
        insert_strings(group);
      } else if (deepen(group)) {
        const std::size_t open_before = open_.size();
        open(group);
        open_all(open_before, waiting_before);
      }
    }
  }
}

// Sorts a group by its caches; what is left to do is opened, or waits. Opens the larger one of two parts, so that few
// are open at any time.
void ItemSorter::open(Group group) {
  while (group.size() > kSmall) {
    const Split split = split_items(items_.subspan(group.begin, group.size()));
    const std::uint32_t border = group.begin + split.count;
    Group first{group.begin, border, group.depth};
    group.begin = border;
    if (split.are_equal) {
      finish_equal(first);
      if (first.size() >= 2) waiting_.push_back(first);
      continue;
    }
    if (first.size() < group.size()) std::swap(first, group);
    open_.push_back(first);
  }
  finish_small(group);
}

void ItemSorter::finish_small(const Group& group) {
  small_sort_(items_.subspan(group.begin, group.size()));
  for (std::uint32_t begin = group.begin; begin < group.end;) {
    std::uint32_t end = begin + 1;
    while (end != group.end && items_[end].cache == items_[begin].cache) ++end;
    if (end - begin >= 2) {
      Group equal{begin, end, group.depth};
      finish_equal(equal);
      if (equal.size() >= 2) waiting_.push_back(equal);
    }
    begin = end;
  }
}

// Puts the strings of equal caches that end there first, by their lengths, and leaves the others in the group.
void ItemSorter::finish_equal(Group& group) {
  const auto end_class = [&](const LineItem& item) { return strings_.end_class(item, group.depth); };
  const auto items = items_.subspan(group.begin, group.size());
  const std::uint32_t first = end_class(items.front());
  const bool differ = std::ranges::any_of(items, [&](const LineItem& item) { return end_class(item) != first; });
  if (differ && items.size() > kMostSmallItems) std::ranges::sort(items, {}, end_class);
  if (differ && items.size() <= kMostSmallItems) insert_by(items, end_class);
  const auto goes_on = std::ranges::lower_bound(items, ItemStrings::kGoesOn, {}, end_class);
  group.begin += static_cast<std::uint32_t>(goes_on - items.begin());
}

// Loads the caches after those that are equal, or after all that the strings share if that is more. Returns false if
// the strings are equal.
bool ItemSorter::deepen(Group& group) {
  const auto items = items_.subspan(group.begin, group.size());
  const auto load_all = [&](std::uint32_t depth) {
    std::uint64_t differing = 0;
    const std::uint64_t first = strings_.load(items.front(), depth);
    for (std::size_t i = 0; i != items.size(); ++i) {
      __builtin_prefetch(strings_.data(items[std::min(i + kAhead, items.size() - 1)]) + depth);
      items[i].cache = strings_.load(items[i], depth);
      differing |= items[i].cache ^ first;
    }
    group.depth = depth;
    return differing != 0;
  };
  if (load_all(group.depth + kCachedBytes)) return true;
  std::uint32_t shortest = UINT32_MAX, longest = 0;
  for (const LineItem& item : items) {
    shortest = std::min(shortest, strings_.bytes(item));
    longest = std::max(longest, strings_.bytes(item));
  }
  if (shortest <= group.depth + kCachedBytes) return true;  // the next caches tell who ends there
  std::uint32_t shared = shortest;
  for (std::size_t i = 1; i != items.size() && shared > group.depth + kCachedBytes; ++i) {
    __builtin_prefetch(strings_.data(items[std::min(i + kAhead, items.size() - 1)]) + group.depth);
    shared = strings_.shared(items.front(), items[i], group.depth, shared);
  }
  if (shared == longest) return false;
  if (shared > group.depth + kCachedBytes) load_all(shared);
  return true;
}

void ItemSorter::insert_strings(const Group& group) {
  const std::uint32_t depth = group.depth + kCachedBytes;
  for (std::uint32_t i = group.begin + 1; i < group.end; ++i) {
    const LineItem item = items_[i];
    std::uint32_t at = i;
    for (; at > group.begin && strings_.compare(item, items_[at - 1], depth) < 0; --at) items_[at] = items_[at - 1];
    items_[at] = item;
  }
}

namespace {

// Splits items until they are few enough for one task.
class ParallelItemSort {
 public:
  explicit ParallelItemSort(const ItemStrings& strings) : sorters_([&strings] { return ItemSorter(strings); }) {}

  void run(std::span<LineItem> items, std::uint32_t depth) {
    split(items, depth);
    tasks_.wait();
  }

 private:
  void split(std::span<LineItem> items, std::uint32_t depth) {
    while (items.size() > kTaskItems) {
      const Split split = split_items(items);
      tasks_.run([this, first = items.first(split.count), depth, are_equal = split.are_equal] {
        if (are_equal) {
          std::uint32_t next_depth = depth;
          const std::span<LineItem> rest = sorters_.local().load_next(first, next_depth);
          this->split(rest, next_depth);
        } else {
          this->split(first, depth);
        }
      });
      items = items.subspan(split.count);
    }
    sorters_.local().sort(items, depth);
  }

  tbb::enumerable_thread_specific<ItemSorter> sorters_;
  tbb::task_group tasks_;
};

}  // namespace

void sort_items_parallel(const ItemStrings& strings, std::span<LineItem> items, std::uint32_t depth) {
  ParallelItemSort(strings).run(items, depth);
}

}  // namespace spillway
