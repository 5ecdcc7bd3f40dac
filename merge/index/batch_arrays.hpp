// The arrays that a lane of a merge (merge/index/batch_lane.hpp) takes a batch of lists in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

// A fragment of a list. Lists and their fragments stand in order. One more fragment, after the last, has the totals.
struct BatchFragment {
  static constexpr std::uint32_t kStartsList = 1;
  static constexpr std::uint32_t kMayGoOn = 2;  // the first document may be the last one of the fragment before

  std::uint32_t first_byte = 0, first_distance_byte = 0;  // of its postings, and of its distances
  std::uint32_t first_posting = 0, first_occurrence = 0;
  std::uint32_t base = 0;           // in the source: the first gap counts from it
  std::uint32_t last_document = 0;  // in the source
  std::uint32_t list = 0;
  std::uint32_t flags = 0;
};

// One more list, after the last, has the number of fragments.
struct BatchList {
  std::uint64_t hash[2] = {0, 0};  // hash_term()
  std::uint32_t first_fragment = 0, unused = 0;
};

// Memory of a lane that batches are collected in. `starts` has a bit for each byte of `postings`: a fragment begins
// there.
struct BatchArrays {
  std::span<std::uint8_t> postings, distances;
  std::span<std::uint64_t> starts;
  std::span<BatchFragment> fragments;
  std::span<BatchList> lists;
};

struct BatchSize {
  std::uint32_t posting_bytes = 0, distance_bytes = 0, lists = 0, fragments = 0, postings = 0, occurrences = 0;
};

}  // namespace spillway
