// The steps of a batch share its arrays on the GPU, which are described here. A batch has *raw* postings, as they stand
// in the fragments, and *kept* ones, where parts of a cut document are one posting and dropped documents are left out.
#pragma once

#include <cstdint>

#include "indexer/gpu/steps/keys.hpp"
#include "io/checksum/document_powers.hpp"
#include "merge/index/batch_lane.hpp"
#include "sort/gpu/device/host_device.hpp"

namespace spillway {

// The fragments of a batch, and what is wrong with them. Any step may set `wrong`.
struct BatchView {
  BatchSize size;
  const std::uint8_t* posting_bytes;   // followed by kBatchPadding zeros
  const std::uint8_t* distance_bytes;  // the same
  const std::uint64_t* starts;
  const BatchFragment* fragments;
  const BatchList* lists;
  std::uint32_t* wrong;

  SPILLWAY_HOST_DEVICE void set_wrong() const { raise_flag(wrong); }
  // The first raw posting of a list, or the number of postings after the last list.
  SPILLWAY_HOST_DEVICE std::uint32_t first_posting(std::uint32_t list) const {
    return fragments[lists[list].first_fragment].first_posting;
  }
};
inline constexpr std::size_t kBatchPadding = 64;
inline constexpr std::size_t kBatchGroupBytes = 64;  // of postings or distances that a thread counts and a warp reads

// DroppedDocuments on the GPU: it tells which documents of the source are kept, and their numbers in the index.
struct KeptNumbers {
  const std::uint64_t* bits = nullptr;  // null: all are kept
  const std::uint32_t* dropped_before = nullptr;

  SPILLWAY_HOST_DEVICE bool is_dropped(std::uint32_t document) const {
    return bits != nullptr && (bits[document / 64] >> document % 64 & 1) != 0;
  }
  SPILLWAY_HOST_DEVICE std::uint32_t number(std::uint32_t document) const {
    if (bits == nullptr) return document;
    std::uint32_t below = dropped_before[document / 64];
    for (std::uint64_t left = bits[document / 64] & ((std::uint64_t{1} << document % 64) - 1); left != 0;
         left &= left - 1) {
      ++below;
    }
    return document - below;
  }
};

// r^document, from tables: low[document % 4096] * high[document / 4096].
struct PowerTables {
  const std::uint64_t* low;
  const std::uint64_t* high;
  SPILLWAY_HOST_DEVICE std::uint64_t power(std::uint32_t document) const {
    return field61::multiply(low[document % DocumentPowers::kCount], high[document / DocumentPowers::kCount]);
  }
};

// Raw postings.
struct RawPostings {
  static constexpr std::uint8_t kStartsFragment = 1, kStartsList = 2, kMayGoOn = 4;

  std::uint32_t* documents;    // in the source; before they are summed, the gaps between neighbours
  std::uint32_t* frequencies;  // and 0 after the last
  std::uint8_t* flags;
  std::uint32_t* occurrences;  // before each posting; one more has the number of all

  // Whether posting p is a part of the document of the posting before.
  SPILLWAY_HOST_DEVICE bool goes_on(std::uint32_t p) const {
    return (flags[p] & kMayGoOn) != 0 && documents[p] == documents[p - 1];
  }
};

}  // namespace spillway
