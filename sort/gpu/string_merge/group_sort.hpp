// Sorts groups of strings by the rounds of gpu-string-merge, for sorts whose own rounds tell too few strings apart:
// gpu-string-radix passes on strings that are prefixes of each other, or share long prefixes.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"
#include "sort/gpu/string_merge/shape.hpp"

namespace spillway {

// Lists of groups in device memory. Group i takes the places from d_begins[i] on in an order, and shares d_depths[i]
// bytes. It has the strings [d_firsts[i], d_firsts[i + 1]) of all groups, which are more than kMaxBlockGroup.
struct StringGroups {
  const std::uint32_t *d_begins, *d_firsts, *d_depths;
  std::uint32_t count, strings;  // of all groups
  const std::uint32_t* d_used;   // byte values that occur, as for make_key_symbols
};

struct GroupSortMemory {
  std::uint64_t* d_keys[2];     // each has an element for each string
  std::uint32_t* d_indices[2];  // so do these
  std::uint8_t* d_lists;        // group_sort_bytes() bytes
};
std::size_t group_sort_bytes(std::size_t strings);

// Sorts the strings of each group inside its places of `d_order`. Stable. Complexity, waits and errors are those of
// GpuStringMergeSorter.
void sort_string_groups(const DeviceStrings& strings, const StringGroups& groups, std::uint32_t* d_order,
                        const GroupSortMemory& memory, GpuStreamHandle stream);

// The same for groups of 2 to kMaxBlockGroup strings. Group i has d_counts[i] of them, and d_depths[i] > 0.
struct SmallStringGroups {
  const std::uint32_t *d_begins, *d_counts, *d_depths;
  const std::uint32_t* d_count;  // of groups: the host need not wait for it
  const std::uint32_t* d_used;
};

// Sorts each group, and marks its strings but the first as DeviceStringSorter::sort_and_mark() does unless
// order.d_firsts is null. Enqueues one kernel, and does not wait.
void sort_small_string_groups(const DeviceStrings& strings, const SmallStringGroups& groups, const MarkedOrder& order,
                              GpuStreamHandle stream);

}  // namespace spillway
