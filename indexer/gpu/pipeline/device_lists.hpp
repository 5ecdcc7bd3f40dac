// The lists of a block that stay in the memory of a GPU, so that the last merge reads them there
// (indexer/gpu/merge/term_order.hpp). The host has the same lists, or brings them down where it needs them (KeptLists).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "indexer/gpu/pipeline/encoded_run.hpp"
#include "indexer/gpu/steps/keys.hpp"

namespace spillway {

struct DeviceLists {
  std::shared_ptr<std::uint8_t> memory;  // of the GPU; aligned to kDeviceAlignment, as all its arrays are
  std::size_t bytes = 0;
  // Where the arrays of EncodedLists begin.
  std::size_t fragments_at = 0, text_offsets_at = 0, text_at = 0, postings_at = 0, distances_at = 0;
  std::uint32_t fragment_count = 0, rank_count = 0;
  std::uint64_t text_bytes = 0, posting_bytes = 0, distance_bytes = 0, posting_count = 0;
  // Copies bytes of `memory` to the host, through `staging` if that has three pages or more: without, copies of several
  // threads go one after the other, at 2.5 GB/s. Thread-safe. GpuError.
  std::function<void(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes, std::span<std::uint8_t> staging)>
      bring_down = {};

  // These return the arrays in memory that begins at `base`: `memory`, or a copy of it.
  const EncodedFragment* fragments(const std::uint8_t* base) const { return at<EncodedFragment>(base, fragments_at); }
  const std::uint64_t* text_offsets(const std::uint8_t* base) const { return at<std::uint64_t>(base, text_offsets_at); }
  const std::uint8_t* text(const std::uint8_t* base) const { return base + text_at; }
  const std::uint8_t* postings(const std::uint8_t* base) const { return base + postings_at; }
  const std::uint8_t* distances(const std::uint8_t* base) const { return base + distances_at; }

 private:
  template <typename T>
  static const T* at(const std::uint8_t* base, std::size_t place) {
    return reinterpret_cast<const T*>(base + place);
  }
};

}  // namespace spillway
