// The steps that bring the lists of all inputs into the order of their terms, where they lie in the memory of a GPU.
// Strings are the terms of the inputs, one input after the other; a list is a distinct one. Entries are the fragments
// in the order of lists, those of one list in the order of the inputs.
#pragma once

#include <cstdint>

#include "indexer/gpu/steps/keys.hpp"
#include "merge/index/held_lists.hpp"
#include "sort/gpu/device/host_device.hpp"

namespace spillway {

// Describes an input to the GPU. Fragments are numbered over all inputs.
struct HeldInput {
  static constexpr std::uint32_t kNotCut = ~std::uint32_t{0};

  const EncodedFragment* fragments = nullptr;
  const std::uint8_t *postings = nullptr, *distances = nullptr;
  std::uint32_t first_fragment = 0;
  std::uint32_t base = 0;                // number, in the source, of its first document
  std::uint32_t cut_document = kNotCut;  // its last document, in the source, where the next input goes on with it
  std::uint32_t unused = 0;
};

struct HeldInputs {
  const HeldInput* inputs = nullptr;
  std::uint32_t count = 0;

  SPILLWAY_HOST_DEVICE const HeldInput& of_fragment(std::uint32_t fragment) const {
    const HeldInput* const all = inputs;
    return inputs[last_not_above(count, fragment, [all](std::uint32_t i) { return all[i].first_fragment; })];
  }
};

struct AddHeldSizes {
  SPILLWAY_HOST_DEVICE HeldSize operator()(const HeldSize& a, const HeldSize& b) const {
    return {a.posting_bytes + b.posting_bytes, a.distance_bytes + b.distance_bytes, a.postings + b.postings,
            a.occurrences + b.occurrences};
  }
};

// Checks that each string has fragments, in order, and that these lie within their arrays. Sets `wrong` where they do
// not: then the steps below must not run.
struct CheckHeldFragments {
  const EncodedFragment* fragments;
  std::uint32_t fragment_count, string_count;
  std::uint64_t posting_bytes, distance_bytes, posting_count;
  std::uint32_t* wrong;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t f) const {
    const EncodedFragment &begin = fragments[f], &end = fragments[f + 1];
    const bool is_next = f == 0 ? begin.rank == 0 : begin.rank - fragments[f - 1].rank <= 1;
    const bool is_last = f + 1 == fragment_count;
    if (!is_next || begin.rank >= string_count || (is_last && begin.rank + 1 != string_count) ||
        begin.first_posting_byte >= end.first_posting_byte || end.first_posting_byte > posting_bytes ||
        begin.first_distance_byte > end.first_distance_byte || end.first_distance_byte > distance_bytes ||
        begin.first_posting >= end.first_posting || begin.first_occurrence >= end.first_occurrence ||
        end.first_posting - begin.first_posting > end.first_posting_byte - begin.first_posting_byte ||
        (distance_bytes != 0 &&
         end.first_occurrence - begin.first_occurrence > end.first_distance_byte - begin.first_distance_byte) ||
        (is_last && end.first_posting != posting_count)) {
      raise_flag(wrong);
    }
  }
};

// Checks that the strings lie within their text.
struct CheckHeldStrings {
  const std::uint64_t* offsets;
  std::uint32_t string_count;
  std::uint64_t text_bytes;
  std::uint32_t* wrong;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t s) const {
    const std::uint64_t end = s + 1 < string_count ? offsets[s + 1] : text_bytes;
    if ((s == 0 && offsets[0] != 0) || offsets[s] >= end || offsets[s + 1] != end) raise_flag(wrong);
  }
};

struct ShiftOffsets {
  const std::uint64_t* from;
  std::uint64_t shift;
  std::uint64_t* to;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const { to[i] = from[i] + shift; }
};

// Finds the first fragment of each string of an input.
struct FindFirstFragments {
  const EncodedFragment* fragments;
  std::uint32_t first_fragment;
  std::uint32_t* first_fragments;  // of its strings
  SPILLWAY_HOST_DEVICE void operator()(std::size_t f) const {
    if (f != 0 && fragments[f - 1].rank == fragments[f].rank) return;
    first_fragments[fragments[f].rank] = first_fragment + static_cast<std::uint32_t>(f);
  }
};

// Counts the fragments of each string, in order; 0 stands after the last.
struct CountFragments {
  const std::uint32_t* order;
  std::uint32_t string_count;
  const std::uint32_t* first_fragments;  // by string; one more has the number of all
  std::uint32_t* counts;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    counts[i] = i == string_count ? 0 : first_fragments[order[i] + 1] - first_fragments[order[i]];
  }
};

// Requires: the counts add up to entry_count.
struct PlaceEntries {
  const std::uint32_t* order;
  const std::uint32_t* first_fragments;
  const std::uint32_t* places;  // exclusive sums of the counts
  std::uint32_t entry_count;
  std::uint32_t* entries;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const std::uint32_t begin = places[i], end = places[i + 1], fragment = first_fragments[order[i]];
    for (std::uint32_t e = begin; e < end && e < entry_count; ++e) entries[e] = fragment + (e - begin);
  }
};

// Takes the size of each entry; 0 stands after the last.
struct MeasureEntries {
  HeldInputs inputs;
  const std::uint32_t* entries;
  std::uint32_t entry_count;
  HeldSize* sizes;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t e) const {
    HeldSize size;
    if (e < entry_count) {
      const HeldInput& input = inputs.of_fragment(entries[e]);
      const EncodedFragment* const begin = input.fragments + (entries[e] - input.first_fragment);
      size = {begin[1].first_posting_byte - begin[0].first_posting_byte,
              begin[1].first_distance_byte - begin[0].first_distance_byte,
              begin[1].first_posting - begin[0].first_posting, begin[1].first_occurrence - begin[0].first_occurrence};
    }
    sizes[e] = size;
  }
};

// Finds where each list begins. list_numbers: inclusive sums of `firsts`.
struct FindLists {
  const std::uint32_t* order;
  const std::uint8_t* firsts;
  const std::uint32_t* list_numbers;
  const std::uint32_t* places;
  std::uint32_t* first_strings;
  std::uint32_t* first_entries;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    if (firsts[i] == 0) return;
    first_strings[list_numbers[i] - 1] = order[i];
    first_entries[list_numbers[i] - 1] = places[i];
  }
};

// Collects what the host is to know of the lists.
struct DescribeLists {
  const HeldSize* before;  // exclusive sums over the entries
  const std::uint32_t* first_entries;
  const std::uint64_t* text_offsets;
  std::uint32_t list_count, entry_count;
  HeldList* lists;  // list_count + 1
  SPILLWAY_HOST_DEVICE void operator()(std::size_t l) const {
    const std::uint32_t entry = l == list_count ? entry_count : first_entries[l];
    lists[l] = {before[entry], text_offsets[l], entry, 0};
  }
};

}  // namespace spillway
