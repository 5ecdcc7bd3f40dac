#include "sort/lines/block/small_sort.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "io/base/vector_intrinsics.hpp"

namespace spillway {

namespace {

void sort_portable(std::span<LineItem> items) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    const LineItem item = items[i];
    std::size_t at = i;
    for (; at != 0 && items[at - 1].cache > item.cache; --at) items[at] = items[at - 1];
    items[at] = item;
  }
}

#define SPILLWAY_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

constexpr std::size_t kLanes = 8;
static_assert(sizeof(LineItem) == 16);

// Loads 4 items. Only the first `count` are there; the others become zeros.
SPILLWAY_AVX512 inline __m512i load_items(const LineItem* from, std::size_t count) {
  const auto wanted = count >= 4 ? __mmask8{0xff} : static_cast<__mmask8>((1U << (2 * count)) - 1);
  return _mm512_maskz_loadu_epi64(wanted, from);
}

// Counts for each item those that stand before it: the items with lesser caches, and those with equal ones that stood
// before it.
template <std::size_t kGroups>
SPILLWAY_AVX512 inline void sort_groups(std::span<LineItem> items) {
  static constexpr std::uint8_t kAfter[kLanes] = {0xfe, 0xfc, 0xf8, 0xf0, 0xe0, 0xc0, 0x80, 0};  // lanes after a lane
  const std::size_t count = items.size();
  const __m512i one = _mm512_set1_epi64(1), of_caches = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
  __m512i caches[kGroups], ranks[kGroups];
  std::array<LineItem, kMostSmallItems> from;
#pragma GCC unroll 4
  for (std::size_t group = 0; group != kGroups; ++group) {
    const std::size_t begin = group * kLanes, left = count - std::min(count, begin);
    const __m512i low = load_items(items.data() + begin, left);
    const __m512i high = load_items(items.data() + begin + 4, left - std::min<std::size_t>(left, 4));
    _mm512_storeu_si512(&from[begin], low);
    _mm512_storeu_si512(&from[begin + 4], high);
    caches[group] = _mm512_permutex2var_epi64(low, of_caches, high);
    ranks[group] = _mm512_setzero_si512();
  }
#pragma GCC unroll 4
  for (std::size_t group = 0; group != kGroups; ++group) {
    const std::size_t end = std::min(kLanes, count - std::min(count, group * kLanes));
    for (std::size_t lane = 0; lane < end; ++lane) {
      const __m512i cache = _mm512_set1_epi64(static_cast<std::int64_t>(from[group * kLanes + lane].cache));
#pragma GCC unroll 4
      for (std::size_t other = 0; other != kGroups; ++other) {
        const auto after = static_cast<__mmask8>(other == group ? kAfter[lane] : 0);
        __mmask8 is_before = other > group ? _mm512_cmple_epu64_mask(cache, caches[other])
                                           : _mm512_cmplt_epu64_mask(cache, caches[other]);
        if (other == group) is_before |= _mm512_mask_cmpeq_epi64_mask(after, cache, caches[other]);
        ranks[other] = _mm512_mask_add_epi64(ranks[other], is_before, ranks[other], one);
      }
    }
  }
  alignas(64) std::array<std::uint64_t, kMostSmallItems> to;
#pragma GCC unroll 4
  for (std::size_t group = 0; group != kGroups; ++group) _mm512_store_si512(&to[group * kLanes], ranks[group]);
  for (std::size_t i = 0; i != count; ++i) items[to[i]] = from[i];
}

SPILLWAY_AVX512 void sort_avx512(std::span<LineItem> items) {
  static_assert(kMostSmallItems == 4 * kLanes);
  switch ((items.size() + kLanes - 1) / kLanes) {
    case 0:
      return;
    case 1:
      return sort_groups<1>(items);
    case 2:
      return sort_groups<2>(items);
    case 3:
      return sort_groups<3>(items);
    default:
      return sort_groups<4>(items);
  }
}

std::span<const SmallSortKernel> kernels() {
  static const std::vector<SmallSortKernel> kKernels = [] {
    std::vector<SmallSortKernel> result{{"portable", sort_portable}};
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      result.push_back({"avx512", sort_avx512});
    }
    return result;
  }();
  return kKernels;
}

}  // namespace

std::span<const SmallSortKernel> all_small_sort_kernels() { return kernels(); }

SmallSort small_sort() { return kernels().back().sort; }

}  // namespace spillway
