#include "tests/support/host_gpu/held_lists.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

#include "sort/gpu/device/arena.hpp"

namespace spillway::testing {

namespace {

template <typename T>
std::size_t add_array(const std::vector<T>& array, std::vector<std::uint8_t>& to) {
  const std::size_t begin = device_aligned(to.size()), bytes = array.size() * sizeof(T);
  to.resize(begin + bytes);
  if (bytes != 0) std::memcpy(to.data() + begin, array.data(), bytes);
  return begin;
}

void add_bytes(std::span<const std::uint8_t> bytes, std::vector<std::uint8_t>& to) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

DeviceLists hold_lists(const MergeInput& input, const HoldBytes& hold) {
  std::vector<EncodedFragment> fragments;
  std::vector<std::uint64_t> text_offsets;
  std::vector<std::uint8_t> text, postings, distances;
  EncodedFragment end;
  std::string term_before;
  for (const auto cursor = input.terms("", ""); cursor->next();) {
    const RunEntry& entry = cursor->entry();
    if (text_offsets.empty() || entry.term != term_before) {
      text_offsets.push_back(text.size());
      term_before = entry.term;
      text.insert(text.end(), entry.term.begin(), entry.term.end());
    }
    EncodedFragment fragment = end;
    fragment.rank = static_cast<std::uint32_t>(text_offsets.size() - 1);
    fragment.last_document = entry.last_document;
    fragments.push_back(fragment);
    add_bytes(entry.postings, postings);
    add_bytes(entry.positions, distances);
    end.first_posting_byte = postings.size();
    end.first_distance_byte = distances.size();
    end.first_posting += entry.document_count;
    end.first_occurrence += static_cast<std::uint32_t>(entry.occurrence_count);
  }
  DeviceLists lists;
  lists.fragment_count = static_cast<std::uint32_t>(fragments.size());
  lists.rank_count = static_cast<std::uint32_t>(text_offsets.size());
  lists.text_bytes = text.size();
  lists.posting_bytes = postings.size();
  lists.distance_bytes = distances.size();
  lists.posting_count = input.summary().posting_count;
  end.rank = lists.rank_count;
  fragments.push_back(end);
  text_offsets.push_back(text.size());
  std::vector<std::uint8_t> bytes;
  lists.fragments_at = add_array(fragments, bytes);
  lists.text_offsets_at = add_array(text_offsets, bytes);
  lists.text_at = add_array(text, bytes);
  lists.postings_at = add_array(postings, bytes);
  lists.distances_at = add_array(distances, bytes);
  lists.bytes = bytes.size();
  lists.memory = hold(bytes);
  return lists;
}

std::vector<DeviceLists> hold_on_host(std::span<const MergeInput* const> inputs) {
  std::vector<DeviceLists> held;
  for (const MergeInput* const input : inputs) {
    held.push_back(hold_lists(*input, [](std::span<const std::uint8_t> bytes) {
      // Aligned as memory of a GPU.
      const std::shared_ptr<std::uint8_t> memory(
          static_cast<std::uint8_t*>(std::aligned_alloc(kDeviceAlignment, device_aligned(bytes.size() + 1))),
          std::free);
      std::memcpy(memory.get(), bytes.data(), bytes.size());
      return memory;
    }));
  }
  return held;
}

}  // namespace spillway::testing
