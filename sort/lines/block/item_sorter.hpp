// Sorts the items of strings in place by caching multikey quicksort (Ng and Kakehi 2008, section 3). Groups of equal
// caches that go on wait until there are many; then they are loaded 8 bytes deeper, one after the other, while the
// texts of the next ones are on their way from memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sort/lines/block/items.hpp"
#include "sort/lines/block/small_sort.hpp"

namespace spillway {

// One for each thread: keeps its lists from call to call. The items' order is that of their strings; equal strings
// stand together, in any order.
class ItemSorter {
 public:
  explicit ItemSorter(const ItemStrings& strings) : strings_(strings) {}
  // Requires: the strings share their first `depth` bytes, and the caches are those at `depth`. O(n log n) comparisons
  // of caches for each 8 bytes that the strings share. Scratch: some KiB, and in the worst case 18 bytes for each item.
  void sort(std::span<LineItem> items, std::uint32_t depth);
  // Requires: the same, and equal caches. Puts the strings that end in these caches first, in order, and loads the next
  // caches of the others. Returns the items that are left to sort, and sets the depth of their caches.
  std::span<LineItem> load_next(std::span<LineItem> items, std::uint32_t& depth);

 private:
  struct Group {
    std::uint32_t begin, end, depth;
    std::uint32_t size() const { return end - begin; }
  };
  void open(Group group);
  void open_all(std::size_t open_before, std::size_t waiting_before);
  void finish_waiting(std::size_t waiting_before);
  void finish_small(const Group& group);
  void finish_equal(Group& group);
  bool deepen(Group& group);
  void insert_strings(const Group& group);

  ItemStrings strings_;
  SmallSort small_sort_ = small_sort();
  std::span<LineItem> items_;
  std::vector<Group> open_;     // unsorted, with their caches
  std::vector<Group> waiting_;  // of equal caches that go on, at the depth of these caches
};

// The same for many items: parts of them become tasks in the calling thread's TBB arena.
void sort_items_parallel(const ItemStrings& strings, std::span<LineItem> items, std::uint32_t depth);

}  // namespace spillway
