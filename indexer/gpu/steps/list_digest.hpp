// The steps that describe the encoded lists of a block, so that the host can plan the merge of lists that it has no
// copy of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "indexer/gpu/steps/keys.hpp"

namespace spillway {

inline constexpr std::size_t kListSamples = 1024;
inline constexpr std::size_t kListSampleBytes = 64;  // of a term, at most

// The first bytes of a term.
struct ListSample {
  std::uint32_t fragment = 0;  // samples of the same fragment are the same
  std::uint32_t term_bytes = 0;
  std::uint8_t term[kListSampleBytes] = {};
};

struct ListDigest {
  std::uint64_t most_bytes = 0;  // of a fragment
  ListSample samples[kListSamples];
};

// Returns the fragment where sample `sample` of kListSamples is taken: they are spread evenly over the bytes of the
// lists. `fragments` has one element more than `count`. Requires: count is not 0. O(log count).
SPILLWAY_HOST_DEVICE inline std::uint32_t sampled_fragment(const EncodedFragment* fragments, std::uint32_t count,
                                                           std::size_t sample) {
  constexpr std::uint64_t kFragmentWeight = 16;  // the cost of a fragment besides its bytes, in bytes
  const auto weight_before = [fragments](std::uint32_t i) {
    return fragments[i].first_posting_byte + fragments[i].first_distance_byte + i * kFragmentWeight;
  };
  return last_not_above(count, sample * weight_before(count) / kListSamples, weight_before);
}

// Takes the samples of a digest. The lists may be damaged: nothing beyond their arrays is read.
struct SampleLists {
  const EncodedFragment* fragments;  // one more than `count`
  std::uint32_t count, rank_count;
  const std::uint64_t* text_offsets;
  const std::uint8_t* text;
  std::uint64_t text_bytes;
  ListSample* samples;

  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    ListSample sample;
    sample.fragment = sampled_fragment(fragments, count, i);
    const std::uint32_t rank = fragments[sample.fragment].rank;
    if (rank < rank_count) {
      const std::uint64_t begin = text_offsets[rank], end = text_offsets[rank + 1];
      if (begin <= end && end <= text_bytes) {
        sample.term_bytes = static_cast<std::uint32_t>(end - begin < kListSampleBytes ? end - begin : kListSampleBytes);
        for (std::uint32_t b = 0; b < sample.term_bytes; ++b) sample.term[b] = text[begin + b];
      }
    }
    samples[i] = sample;
  }
};

// The bytes of a fragment.
struct FragmentBytes {
  const EncodedFragment* fragments;
  SPILLWAY_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    const EncodedFragment &begin = fragments[i], &end = fragments[i + 1];
    return end.first_posting_byte - begin.first_posting_byte + end.first_distance_byte - begin.first_distance_byte;
  }
};

struct Larger {
  SPILLWAY_HOST_DEVICE std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a < b ? b : a; }
};

}  // namespace spillway
