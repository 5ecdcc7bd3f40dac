#include "indexer/chunk/distance_writer.hpp"

#include <vector>

#include "io/base/varint.hpp"
#include "io/checksum/content_checksum.hpp"
#include "io/checksum/vector_scans.hpp"

#define SPILLWAY_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt")))

namespace spillway {

namespace {

// The state of a pass between two positions.
struct Progress {
  std::uint32_t last = 0;  // position
  std::uint64_t weight = 0;
  std::uint8_t *begin = nullptr, *to = nullptr;
  std::size_t lists = 0;  // complete ones
};

void write_each(const SortedPositions& document, std::size_t begin, std::size_t end, Progress& progress) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t position = document.positions[i];
    const bool starts = (document.starts[i / 64] >> i % 64 & 1) != 0;
    progress.to = write_varint(progress.to, position - (starts ? 0 : progress.last));
    progress.last = position;
    progress.weight += position_value(position);
    // Without a branch: the same entry is written until the list ends. Its position was read before.
    document.positions[progress.lists] = static_cast<std::uint32_t>(progress.to - progress.begin);
    document.weights[progress.lists] = progress.weight;
    progress.lists += document.starts[(i + 1) / 64] >> (i + 1) % 64 & 1;
  }
}

std::uint8_t* write_portable(const SortedPositions& document, std::uint8_t* to) {
  Progress progress{.begin = to, .to = to};
  write_each(document, 0, document.positions.size(), progress);
  return progress.to;
}

// Hands the lowest lanes to write_each().
SPILLWAY_AVX512 void carry_on(__m512i last, __m512i weight, Progress& progress) {
  progress.last = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm512_castsi512_si128(last)));
  progress.weight = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(weight)));
}

// Takes sixteen positions at a time. A distance below 2^28 has a varint of at most four bytes: each lane makes its own,
// and the used bytes of all lanes are compressed to the front.
SPILLWAY_AVX512 std::uint8_t* write_avx512(const SortedPositions& document, std::uint8_t* to) {
  constexpr std::size_t kLanes = 16;
  const std::size_t whole = document.positions.size() / kLanes * kLanes;
  const __m512i first_bits = _mm512_set1_epi32(0x7F), second_bits = _mm512_set1_epi32(0x3F80);
  const __m512i third_bits = _mm512_set1_epi32(0x1FC000), fourth_bits = _mm512_set1_epi32(0xFE00000);
  const __m512i one = _mm512_set1_epi32(1);
  Progress progress{.begin = to, .to = to};
  __m512i before = _mm512_setzero_si512(), weight = before;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const __m512i positions = _mm512_loadu_si512(document.positions.data() + i);
    const __mmask16 starts = sixteen_bits(document.starts, i), ends = sixteen_bits(document.starts, i + 1);
    const __m512i last = _mm512_alignr_epi32(positions, before, 15);
    before = positions;
    const __m512i distances =
        _mm512_sub_epi32(positions, _mm512_maskz_mov_epi32(static_cast<__mmask16>(~starts), last));
    if (_mm512_cmpge_epu32_mask(distances, _mm512_set1_epi32(1 << 28)) != 0) {
      carry_on(last, weight, progress);
      write_each(document, i, i + kLanes, progress);
      weight = _mm512_set1_epi64(static_cast<long long>(progress.weight));
      continue;
    }
    const __mmask16 two = _mm512_cmpge_epu32_mask(distances, _mm512_set1_epi32(1 << 7));
    const __mmask16 three = _mm512_cmpge_epu32_mask(distances, _mm512_set1_epi32(1 << 14));
    const __mmask16 four = _mm512_cmpge_epu32_mask(distances, _mm512_set1_epi32(1 << 21));
    const __m512i low = _mm512_or_si512(_mm512_and_si512(distances, first_bits),
                                        _mm512_slli_epi32(_mm512_and_si512(distances, second_bits), 1));
    const __m512i high = _mm512_or_si512(_mm512_slli_epi32(_mm512_and_si512(distances, third_bits), 2),
                                         _mm512_slli_epi32(_mm512_and_si512(distances, fourth_bits), 3));
    // 0x80 in each byte that another byte of its varint follows; shifted up by a byte, it marks the bytes in use.
    __m512i goes_on = _mm512_maskz_set1_epi32(two, 0x80);
    goes_on = _mm512_or_si512(goes_on, _mm512_maskz_set1_epi32(three, 0x8000));
    goes_on = _mm512_or_si512(goes_on, _mm512_maskz_set1_epi32(four, 0x800000));
    const __m512i bytes = _mm512_or_si512(_mm512_or_si512(low, high), goes_on);
    const __mmask64 used = _mm512_movepi8_mask(_mm512_or_si512(_mm512_slli_epi32(goes_on, 8), _mm512_set1_epi32(0x80)));
    _mm512_storeu_si512(progress.to, _mm512_maskz_compress_epi8(used, bytes));
    __m512i lengths = _mm512_mask_add_epi32(one, two, one, one);
    lengths = _mm512_mask_add_epi32(lengths, three, lengths, one);
    lengths = _mm512_mask_add_epi32(lengths, four, lengths, one);
    const __m512i offset = _mm512_set1_epi32(static_cast<int>(progress.to - progress.begin));
    const __m512i offsets = _mm512_add_epi32(scan_epi32(lengths), offset);
    _mm512_storeu_si512(document.positions.data() + progress.lists, _mm512_maskz_compress_epi32(ends, offsets));
    progress.to += _mm_popcnt_u64(used);
    std::uint64_t* weights = document.weights + progress.lists;
    scan_position_values(positions, ends, weight, &weights);
    progress.lists = static_cast<std::size_t>(weights - document.weights);
  }
  carry_on(_mm512_alignr_epi32(before, before, 15), weight, progress);
  write_each(document, whole, document.positions.size(), progress);
  return progress.to;
}

std::span<const WriteDistances> paths() {
  static const std::vector<WriteDistances> kPaths = [] {
    std::vector<WriteDistances> result{write_portable};
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("popcnt")) {
      result.push_back(write_avx512);
    }
    return result;
  }();
  return kPaths;
}

}  // namespace

std::span<const WriteDistances> all_distance_writers() { return paths(); }

WriteDistances distance_writer() { return paths().back(); }

}  // namespace spillway
