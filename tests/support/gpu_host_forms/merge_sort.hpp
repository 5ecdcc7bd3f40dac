// Shared by the host forms of the merge sorts: takes the second copy, selects the order of a bit range, and copies the
// result back.
#pragma once

#include <algorithm>
#include <span>

#include "sort/gpu/interface/key_order.hpp"
#include "sort/gpu/merge/records.hpp"
#include "sort/interface/record_sorter.hpp"
#include "sort/interface/scratch.hpp"

namespace spillway {

inline std::size_t merge_host_scratch_bytes(std::size_t count, BitRange bits) {
  if (is_sorted_already(count, bits)) return 0;
  return round_to_scratch_alignment(count * sizeof(std::uint64_t)) + kScratchAlignment;
}

// `sort_records(records, other, count, less)` sorts with `other` as scratch, and returns the array with the result.
template <typename SortRecords>
void sort_keys_on_host(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch,
                       SortRecords sort_records) {
  if (is_sorted_already(keys.size(), bits)) return;
  const std::span<std::uint64_t> other = ScratchArrays(scratch).take<std::uint64_t>(keys.size());
  with_key_order(bits, [&](auto less) {
    const RecordArray<false> sorted =
        sort_records(RecordArray<false>{keys.data()}, RecordArray<false>{other.data()}, keys.size(), less);
    if (sorted.keys != keys.data()) std::copy_n(sorted.keys, keys.size(), keys.data());
  });
}

// The same for keys with values.
template <typename SortRecords>
void sort_pairs_on_host(RecordArray<true> records, RecordArray<true> other, std::size_t count, BitRange bits,
                        SortRecords sort_records) {
  if (is_sorted_already(count, bits)) return;
  const RecordArray<true> sorted = sort_records(records, other, count, MaskedKeyLess{bit_mask(bits)});
  if (sorted.keys == records.keys) return;
  std::copy_n(sorted.keys, count, records.keys);
  std::copy_n(sorted.values, count, records.values);
}

}  // namespace spillway
