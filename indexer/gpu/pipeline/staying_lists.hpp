// Lists of a block that are in the memory of a GPU only, and what the host knows of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "indexer/gpu/pipeline/device_lists.hpp"
#include "indexer/gpu/pipeline/encoded_run.hpp"
#include "indexer/gpu/steps/list_digest.hpp"
#include "io/checksum/content_checksum.hpp"
#include "io/format/run.hpp"

namespace spillway {

struct StayingLists {
  StayingLists(DeviceLists&& device_lists, const ListDigest& digest, const ContentChecksum& checksum);

  // As EncodedLists::bytes().
  std::size_t list_bytes() const { return lists.text_bytes + lists.posting_bytes + lists.distance_bytes; }

  DeviceLists lists;
  ContentChecksum sum;                    // as EncodedLists::sum
  std::uint64_t most_fragment_bytes = 0;  // of the postings and distances of one fragment
  std::vector<TermSample> samples;        // spread evenly over the bytes of the lists
};

// Copies the lists to `memory`, of DeviceLists::bytes bytes or more, which the result owns. GpuError where they cannot
// be copied or contradict each other.
EncodedLists bring_lists(const DeviceLists& lists, Buffer memory, const ContentChecksum& sum);
// The same in memory that lives longer than the result; `staging` as of DeviceLists::bring_down.
EncodedLists bring_lists_to(const DeviceLists& lists, std::uint8_t* memory, const ContentChecksum& sum,
                            std::span<std::uint8_t> staging = {});

// The samples of a digest, each fragment once.
std::vector<TermSample> samples_of(const ListDigest& digest);

}  // namespace spillway
