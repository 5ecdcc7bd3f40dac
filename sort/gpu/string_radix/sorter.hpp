// `gpu-string-radix`: radix sort of strings by their next bytes and the segment that the bytes before put them into
// (Deshpande and Narayanan, "Can GPUs sort strings efficiently?", HiPC 2013), with CUB's sort, selection and scan.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Strings are shorter than 2^32 bytes. Scratch: about 30 bytes a string. Waits for the stream after each round.
class GpuStringRadixSorter final : public DeviceStringSorter {
 public:
  std::string_view name() const override { return "gpu-string-radix"; }
  std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const override;
  void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps, std::uint8_t* d_scratch,
            GpuStreamHandle stream) const override;
};

}  // namespace spillway
