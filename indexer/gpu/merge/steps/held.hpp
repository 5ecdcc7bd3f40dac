// The steps that make a batch of lists which the GPU holds: they bring the fragments of each list together, as the
// threads of a merge do with others (merge/index/batch_collector.hpp).
#pragma once

#include "indexer/gpu/merge/steps/batch.hpp"
#include "indexer/gpu/merge/steps/order.hpp"

namespace spillway {

// Tells the order of all lists.
struct HeldOrder {
  HeldInputs inputs;
  const std::uint32_t* entries = nullptr;  // the fragment of each
  const HeldSize* before = nullptr;        // of each
};

// Tells where the bytes of a fragment lie.
struct HeldBytes {
  const std::uint8_t *postings, *distances;
};

// Makes the fragments of a batch that begins with an entry, and one more.
struct PlaceFragments {
  HeldOrder held;
  std::uint32_t first_entry;
  HeldSize before;  // that entry
  BatchSize size;
  const BatchList* lists;
  bool has_positions;
  BatchFragment* to;
  HeldBytes* bytes;

  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto f = static_cast<std::uint32_t>(i);
    const HeldSize& at = held.before[first_entry + f];
    BatchFragment fragment;
    fragment.first_byte = static_cast<std::uint32_t>(at.posting_bytes - before.posting_bytes);
    fragment.first_distance_byte = static_cast<std::uint32_t>(at.distance_bytes - before.distance_bytes);
    fragment.first_posting = static_cast<std::uint32_t>(at.postings - before.postings);
    fragment.first_occurrence = static_cast<std::uint32_t>(at.occurrences - before.occurrences);
    fragment.list = size.lists;
    if (f < size.fragments) describe(f, fragment);
    to[f] = fragment;
  }

 private:
  SPILLWAY_HOST_DEVICE void describe(std::uint32_t f, BatchFragment& fragment) const {
    const BatchList* const all = lists;
    const std::uint32_t entry = first_entry + f;
    const HeldInput& input = held.inputs.of_fragment(held.entries[entry]);
    const EncodedFragment& from = input.fragments[held.entries[entry] - input.first_fragment];
    fragment.base = input.base;
    fragment.last_document = input.base + from.last_document;
    fragment.list = last_not_above(size.lists, f, [all](std::uint32_t l) { return all[l].first_fragment; });
    if (lists[fragment.list].first_fragment == f) {
      fragment.flags = BatchFragment::kStartsList;
    } else if (has_positions || is_cut_after(entry - 1)) {
      fragment.flags = BatchFragment::kMayGoOn;
    }
    bytes[f] = {input.postings + from.first_posting_byte, input.distances + from.first_distance_byte};
  }
  // Returns whether the last document of the entry goes on in the next input.
  SPILLWAY_HOST_DEVICE bool is_cut_after(std::uint32_t entry) const {
    const HeldInput& input = held.inputs.of_fragment(held.entries[entry]);
    if (input.cut_document == HeldInput::kNotCut) return false;
    return input.cut_document == input.base + input.fragments[held.entries[entry] - input.first_fragment].last_document;
  }
};

// Marks BatchArrays::starts in a cleared array.
struct MarkStarts {
  const BatchFragment* fragments;
  std::uint32_t byte_count;  // no bit beyond these is set, whatever the fragments say
  std::uint64_t* starts;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t f) const {
    const std::uint32_t byte = fragments[f].first_byte;
    if (byte >= byte_count) return;
    const std::uint64_t bit = std::uint64_t{1} << byte % 64;
#ifdef __CUDA_ARCH__
    static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
    atomicOr(reinterpret_cast<unsigned long long*>(starts + byte / 64), static_cast<unsigned long long>(bit));
#else
    __atomic_fetch_or(starts + byte / 64, bit, __ATOMIC_RELAXED);
#endif
  }
};

// A thread copies kHeldGroupBytes bytes.
inline constexpr std::uint32_t kHeldGroupBytes = 16;
constexpr std::size_t held_groups(std::size_t bytes) { return (bytes + kHeldGroupBytes - 1) / kHeldGroupBytes; }

// Copies bytes of neighbouring fragments to where they stand in the batch: kHeldGroupBytes for each group. The members
// tell where the bytes of a fragment begin, and where they come from.
template <std::uint32_t BatchFragment::*kFirst, const std::uint8_t* HeldBytes::*kFrom>
struct GatherHeld {
  const BatchFragment* fragments;  // one more than there are
  const HeldBytes* bytes;
  std::uint32_t fragment_count, byte_count;
  std::uint8_t* to;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t group) const {
    const BatchFragment* const all = fragments;
    std::uint32_t at = static_cast<std::uint32_t>(group) * kHeldGroupBytes;
    const std::uint32_t end = byte_count - at < kHeldGroupBytes ? byte_count : at + kHeldGroupBytes;
    std::uint32_t f = last_not_above(fragment_count, at, [all](std::uint32_t i) { return all[i].*kFirst; });
    for (; at < end && f < fragment_count; ++f) {
      const std::uint8_t* const from = bytes[f].*kFrom;
      for (; at < fragments[f + 1].*kFirst && at < end; ++at) to[at] = from[at - fragments[f].*kFirst];
    }
  }
};
using GatherHeldPostings = GatherHeld<&BatchFragment::first_byte, &HeldBytes::postings>;
using GatherHeldDistances = GatherHeld<&BatchFragment::first_distance_byte, &HeldBytes::distances>;

}  // namespace spillway
