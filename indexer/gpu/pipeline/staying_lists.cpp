#include "indexer/gpu/pipeline/staying_lists.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace spillway {

static_assert(kListSampleBytes == kSampleTermBytes);

std::vector<TermSample> samples_of(const ListDigest& digest) {
  std::vector<TermSample> samples;
  for (std::size_t s = 0; s < kListSamples; ++s) {
    const ListSample& sample = digest.samples[s];
    if (s != 0 && sample.fragment == digest.samples[s - 1].fragment) continue;
    const std::size_t bytes = std::min<std::size_t>(sample.term_bytes, kListSampleBytes);
    samples.push_back({std::string(reinterpret_cast<const char*>(sample.term), bytes), 0, 0});
  }
  return samples;
}

StayingLists::StayingLists(DeviceLists&& device_lists, const ListDigest& digest, const ContentChecksum& checksum)
    : lists(std::move(device_lists)),
      sum(checksum),
      most_fragment_bytes(digest.most_bytes),
      samples(samples_of(digest)) {}

EncodedLists bring_lists_to(const DeviceLists& lists, std::uint8_t* memory, const ContentChecksum& sum,
                            std::span<std::uint8_t> staging) {
  lists.bring_down(lists.memory.get(), memory, lists.bytes, staging);
  EncodedLists brought;
  brought.rank_text_offsets = {lists.text_offsets(memory), lists.rank_count + std::size_t{1}};
  brought.rank_text = {lists.text(memory), lists.text_bytes};
  brought.fragments = {lists.fragments(memory), lists.fragment_count + std::size_t{1}};
  brought.postings = {lists.postings(memory), lists.posting_bytes};
  brought.distances = {lists.distances(memory), lists.distance_bytes};
  brought.sum = sum;
  largest_fragment_bytes(brought);  // checks them
  return brought;
}

EncodedLists bring_lists(const DeviceLists& lists, Buffer memory, const ContentChecksum& sum) {
  EncodedLists brought = bring_lists_to(lists, memory.data(), sum);
  brought.memory = std::move(memory);
  return brought;
}

}  // namespace spillway
