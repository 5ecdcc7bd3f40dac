#include "sort/lines/block/splitter_search.hpp"

#include <algorithm>
#include <vector>

#include "io/base/vector_intrinsics.hpp"

namespace spillway {

namespace {

// Has no branch that depends on the string.
inline std::uint32_t search_one(const ItemStrings& strings, const SplitterNodes& tree, const LineItem& item,
                                const SplitterNode& node) {
  const std::uint64_t cache = strings.load(item, node.depth);
  const std::uint64_t* const splitters = tree.splitters + node.splitters;
  const std::uint64_t* at = splitters;
  for (std::uint32_t bit = node.bits; bit-- != 0;) {
    const std::uint64_t half = std::uint64_t{1} << bit;
    at += half & -static_cast<std::uint64_t>(at[half - 1] < cache);
  }
  const auto index = static_cast<std::size_t>(at - splitters);
  const bool is_equal = index + 1 != std::size_t{1} << node.bits && *at == cache;
  const bool goes_on = strings.end_class(item, node.depth) == ItemStrings::kGoesOn;
  return tree.outcomes[node.outcomes + 3 * index + (is_equal ? 1 + (goes_on ? 1 : 0) : 0)];
}

void search_portable(const ItemStrings& strings, const SplitterNodes& tree, const LineItem* items,
                     const std::uint32_t* left, const std::uint32_t* at, std::uint32_t* found) {
  for (std::size_t i = 0; i != kSearchBatch; ++i) {
    found[i] = search_one(strings, tree, items[left[i]], tree.nodes[at[i]]);
  }
}

#define SPILLWAY_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

constexpr std::size_t kLanes = 8, kGroups = kSearchBatch / kLanes;
static_assert(sizeof(LineItem) == 16 && sizeof(SplitterNode) == 24 && sizeof(std::size_t) == 8);

SPILLWAY_AVX512 inline __m512i load_indexes(const std::uint32_t* from) {
  return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}

SPILLWAY_AVX512 inline __m512i gather(const void* base, __m512i bytes) {
  return _mm512_i64gather_epi64(bytes, base, 1);
}

// a to z in upper case.
SPILLWAY_AVX512 inline __m512i fold_case(__m512i text) {
  const __m512i from_a = _mm512_sub_epi8(text, _mm512_set1_epi8('a'));
  const __mmask64 is_lower = _mm512_cmple_epu8_mask(from_a, _mm512_set1_epi8('z' - 'a'));
  return _mm512_mask_sub_epi8(text, is_lower, text, _mm512_set1_epi8('a' - 'A'));
}

// The caches of eight strings at their depths, as ItemStrings::load() makes them. `left`: the bytes after the depth.
SPILLWAY_AVX512 inline __m512i load_caches(const ItemStrings& strings, __m512i offset, __m512i left) {
  const __m512i swap = _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  const __m512i text = gather(strings.text(), offset);
  const __m512i loaded = _mm512_shuffle_epi8(strings.folds() ? fold_case(text) : text, swap);
  const __m512i kept = _mm512_slli_epi64(_mm512_min_epu64(left, _mm512_set1_epi64(kCachedBytes)), 3);
  const __m512i shift = _mm512_sub_epi64(_mm512_set1_epi64(64), kept);  // a shift by 64 leaves zeros
  return _mm512_and_si512(loaded, _mm512_sllv_epi64(_mm512_set1_epi64(-1), shift));
}

SPILLWAY_AVX512 void search_avx512(const ItemStrings& strings, const SplitterNodes& tree, const LineItem* items,
                                   const std::uint32_t* left, const std::uint32_t* at, std::uint32_t* found) {
  __m512i caches[kGroups], begins[kGroups], places[kGroups], bits[kGroups], bytes_left[kGroups], outcomes[kGroups];
  __m512i most_bits = _mm512_setzero_si512();
  __mmask8 has_long = 0;
#pragma GCC unroll 4
  for (std::size_t i = 0; i != kGroups; ++i) {
    const __m512i of_item = _mm512_slli_epi64(load_indexes(left + i * kLanes), 4);
    const __m512i place = gather(&items->place, of_item);
    const __m512i many = _mm512_set1_epi64(kManyBytes), bytes = _mm512_and_si512(place, many);
    has_long = static_cast<__mmask8>(has_long | _mm512_cmpeq_epi64_mask(bytes, many));
    const __m512i of_node = _mm512_mullo_epi64(load_indexes(at + i * kLanes), _mm512_set1_epi64(sizeof(SplitterNode)));
    const __m512i depth_and_bits = gather(&tree.nodes->depth, of_node);
    const __m512i depth = _mm512_and_si512(depth_and_bits, _mm512_set1_epi64(0xffffffff));
    bits[i] = _mm512_srli_epi64(depth_and_bits, 32);
    most_bits = _mm512_max_epu64(most_bits, bits[i]);
    begins[i] = places[i] = gather(&tree.nodes->splitters, of_node);
    outcomes[i] = gather(&tree.nodes->outcomes, of_node);
    bytes_left[i] = _mm512_sub_epi64(bytes, depth);
    caches[i] = load_caches(strings, _mm512_add_epi64(_mm512_srli_epi64(place, kBytesBits), depth), bytes_left[i]);
  }
  if (has_long != 0) return search_portable(strings, tree, items, left, at, found);
  for (auto bit = static_cast<unsigned>(_mm512_reduce_max_epu64(most_bits)); bit-- != 0;) {
    const __m512i half = _mm512_set1_epi64(std::int64_t{1} << bit);
    const std::uint64_t* const middles = tree.splitters + (std::size_t{1} << bit) - 1;
#pragma GCC unroll 4
    for (std::size_t i = 0; i != kGroups; ++i) {
      const __mmask8 has_bit = _mm512_cmpgt_epu64_mask(bits[i], _mm512_set1_epi64(bit));
      const __m512i middle = _mm512_mask_i64gather_epi64(caches[i], has_bit, places[i], middles, 8);
      places[i] = _mm512_mask_add_epi64(places[i], _mm512_cmplt_epu64_mask(middle, caches[i]), places[i], half);
    }
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i != kGroups; ++i) {
    const __m512i one = _mm512_set1_epi64(1), index = _mm512_sub_epi64(places[i], begins[i]);
    const __mmask8 is_inside = _mm512_cmpneq_epi64_mask(_mm512_add_epi64(index, one), _mm512_sllv_epi64(one, bits[i]));
    const __m512i next = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), is_inside, places[i], tree.splitters, 8);
    const __mmask8 is_equal = _mm512_mask_cmpeq_epi64_mask(is_inside, next, caches[i]);
    const __mmask8 is_longer =
        _mm512_mask_cmpge_epu64_mask(is_equal, bytes_left[i], _mm512_set1_epi64(ItemStrings::kGoesOn));
    __m512i outcome = _mm512_add_epi64(outcomes[i], _mm512_add_epi64(index, _mm512_slli_epi64(index, 1)));
    outcome = _mm512_mask_add_epi64(outcome, is_equal, outcome, one);
    outcome = _mm512_mask_add_epi64(outcome, is_longer, outcome, one);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(found + i * kLanes),
                        _mm512_i64gather_epi32(outcome, tree.outcomes, 4));
  }
}

std::span<const SplitterKernel> kernels() {
  static const std::vector<SplitterKernel> kKernels = [] {
    std::vector<SplitterKernel> result{{"portable", search_portable}};
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      result.push_back({"avx512", search_avx512});
    }
    return result;
  }();
  return kKernels;
}

}  // namespace

std::span<const SplitterKernel> all_splitter_kernels() { return kernels(); }

SplitterSearch splitter_search() { return kernels().back().search; }

}  // namespace spillway
