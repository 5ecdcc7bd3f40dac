#include "tests/support/gpu_host_forms/satish_merge.hpp"

#include <algorithm>
#include <array>

#include "sort/gpu/interface/key_order.hpp"
#include "sort/gpu/merge/satish_steps.hpp"
#include "tests/support/gpu_host_forms/merge_sort.hpp"

namespace spillway {

namespace {

// The registers of a warp's lanes.
template <bool kHasPlace>
struct HostLane {
  Record<kHasPlace> records[kPerLane];
};
template <bool kHasPlace>
using HostWarp = std::array<HostLane<kHasPlace>, kLanes>;

template <unsigned kDistance, bool kHasPlace, typename Less>
void exchange_near(HostWarp<kHasPlace>& warp, unsigned run, Less less) {
  const HostWarp<kHasPlace> before = warp;  // the records that lanes hand to each other
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    auto& own = warp[lane].records;
    for (unsigned i = 0; i < kDistance; ++i) {
      const unsigned last = kPerLane - kDistance + i;
      if (has_lane_after(lane, run)) own[last] = kept(own[last], before[lane + 1].records[i], End::kLow, less);
      if (has_lane_before(lane, run)) own[i] = kept(own[i], before[lane - 1].records[last], End::kHigh, less);
    }
    exchange_in_lane<kDistance>(own, less);
  }
}

template <bool kHasPlace, typename Less>
void merge_lanes(HostWarp<kHasPlace>& warp, unsigned run, Less less) {
  for (unsigned distance = run; distance > 0; distance /= 2) {
    const HostWarp<kHasPlace> before = warp;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const LanePartner partner = lane_partner(lane, run, distance);
      if (!partner.is_active) continue;
      for (unsigned i = 0; i < kPerLane; ++i) {
        warp[lane].records[i] = kept(before[lane].records[i], before[partner.lane].records[i], partner.own_end, less);
      }
    }
  }
  exchange_near<4>(warp, run, less);
  exchange_near<2>(warp, run, less);
  exchange_near<1>(warp, run, less);
}

template <bool kHasValue, typename Less>
void sort_tile(const RecordArray<kHasValue>& records, std::uint64_t begin, unsigned present, Less less) {
  constexpr bool kHasPlace = Less::kEqualKeysDiffer;
  HostWarp<kHasPlace> warp{};
  std::array<Record<kHasValue>, kSatishTile> unsorted{};
  for (unsigned i = 0; i < kSatishTile; ++i) {
    if (i < present) unsorted[i] = records.load(begin + i);
    Record<kHasPlace>& record = warp[i / kPerLane].records[i % kPerLane];
    record.key = i < present ? unsorted[i].key : ~std::uint64_t{0};
    if constexpr (kHasPlace) record.value = i;
  }
  for (auto& lane : warp) sort_in_lane(lane.records, less);
  for (unsigned run = 1; run < kLanes; run *= 2) merge_lanes(warp, run, less);
  for (unsigned i = 0; i < present; ++i) {
    const Record<kHasPlace>& record = warp[i / kPerLane].records[i % kPerLane];
    Record<kHasValue> sorted{};
    sorted.key = record.key;
    if constexpr (kHasValue) sorted.value = unsorted[record.value].value;
    records.store(begin + i, sorted);
  }
}

template <bool kHasValue, typename Less>
void merge_tile(const RecordArray<kHasValue>& from, const RecordArray<kHasValue>& to, const TreeTile& tile, Less less) {
  std::array<std::uint64_t, 2 * kSatishTile> buffer{};
  std::copy_n(from.keys + tile.left, tile.left_count, buffer.begin());
  std::copy_n(from.keys + tile.right, tile.right_count, buffer.begin() + tile.left_count);
  const std::uint64_t* const right = buffer.data() + tile.left_count;
  for (unsigned i = 0; i < tile.left_count; ++i) {
    const unsigned rank = place_in_range<Side::kRight>(right, tile.right_count, buffer[i], less);
    to.store(tile.out + i + rank, from.load(tile.left + i));
  }
  for (unsigned i = 0; i < tile.right_count; ++i) {
    const unsigned rank = place_in_range<Side::kLeft>(buffer.data(), tile.left_count, right[i], less);
    to.store(tile.out + i + rank, from.load(tile.right + i));
  }
}

template <bool kHasValue, typename Less>
void merge_level(RecordArray<kHasValue> from, RecordArray<kHasValue> to, const TreeLevel& level, Less less) {
  if (level.run_length < kSatishTile) {
    for (std::uint64_t i = 0; i < level.count; ++i) {
      to.store(merged_place(from.keys, level, i, less), from.load(i));
    }
    return;
  }
  if (level.run_length == kSatishTile) {
    for (std::uint64_t pair = 0; pair * 2 * kSatishTile < level.count; ++pair) {
      merge_tile(from, to, whole_pair(level, pair), less);
    }
    return;
  }
  const std::uint64_t count = (level.count + kSatishTile - 1) / kSatishTile;
  std::vector<std::uint64_t> keys(2 * count);
  std::vector<std::uint32_t> numbers(2 * count);
  const RecordArray<true> numbered{keys.data(), numbers.data()};
  const RecordArray<true> merged{keys.data() + count, numbers.data() + count};
  for (std::uint64_t i = 0; i < count; ++i) {
    numbered.store(i, {from.keys[i * kSatishTile], static_cast<std::uint32_t>(i)});
  }
  merge_level(numbered, merged, {count, level.run_length / kSatishTile}, less);
  std::vector<TreeSplit> splits(count);
  for (std::uint64_t k = 0; k < count; ++k) splits[k] = split_at(from.keys, level, k, merged.values[k], less);
  for (std::uint64_t k = 0; k < count; ++k) {
    merge_tile(from, to, tile_between(level, splits.data(), k, count), less);
  }
}

// Returns the array with the result.
template <bool kHasValue, typename Less>
RecordArray<kHasValue> sort_records(RecordArray<kHasValue> records, RecordArray<kHasValue> other, std::uint64_t count,
                                    Less less) {
  for (std::uint64_t begin = 0; begin < count; begin += kSatishTile) {
    sort_tile(records, begin, static_cast<unsigned>(std::min<std::uint64_t>(kSatishTile, count - begin)), less);
  }
  for (std::uint64_t run = kSatishTile; run < count; run *= 2) {
    merge_level(records, other, {count, run}, less);
    std::swap(records, other);
  }
  return records;
}

}  // namespace

std::size_t SatishMergeHostForm::scratch_bytes(std::size_t count, BitRange bits) const {
  return merge_host_scratch_bytes(count, bits);
}

void SatishMergeHostForm::sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch) const {
  sort_keys_on_host(keys, bits, scratch, [](auto records, auto other, std::size_t count, auto less) {
    return sort_records<false>(records, other, count, less);
  });
}

void satish_merge_sort_pairs_on_host(RecordArray<true> records, RecordArray<true> other, std::size_t count,
                                     BitRange bits) {
  sort_pairs_on_host(records, other, count, bits, [](auto from, auto to, std::size_t size, auto less) {
    return sort_records<true>(from, to, size, less);
  });
}

}  // namespace spillway
