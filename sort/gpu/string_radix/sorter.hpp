// `gpu-string-radix`: radix sort of strings in rounds (Deshpande and Narayanan, "Can GPUs sort strings efficiently?",
// HiPC 2013). A round sorts keys [segment | next bytes of the string], where the strings of a segment have the same
// bytes so far. Uses CUB's radix sort and scan.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Stable. A round is O(n) in the strings of open segments, splits each of these segments, and waits for the stream.
// Scratch: 30.5 bytes a string and up to 220 KiB for a table. Requires: strings shorter than 2^32 bytes.
class GpuStringRadixSorter final : public DeviceStringSorter {
 public:
  std::string_view name() const override { return "gpu-string-radix"; }
  std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const override;
  void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps, std::uint8_t* d_scratch,
            GpuStreamHandle stream) const override;
  // Marks by keys: a round tells which of its strings differ. out.d_firsts may be null.
  void sort_and_mark(const DeviceStrings& strings, const MarkedOrder& out, std::uint8_t* d_scratch,
                     GpuStreamHandle stream) const override;
};

}  // namespace spillway
