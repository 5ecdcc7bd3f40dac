// Sorts strings that lie back to back in host memory on the GPU: copy up, sort, copy down. From pinned memory it runs
// at the speed of the bus. For strings anywhere in memory see sort/gpu/host/string_sorter.hpp.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// String i is bytes [offsets[i], offsets[i + 1]). The count() + 1 offsets ascend from 0 to bytes.size().
struct HostStrings {
  std::span<const std::uint8_t> bytes;
  std::span<const std::uint64_t> offsets;
  std::size_t count() const { return offsets.size() - 1; }
};

// Device memory of one sort: strings, results and the sorter's scratch.
struct StringSortSpace {
  std::uint8_t* d_bytes;
  std::uint64_t* d_offsets;
  std::uint32_t *d_order, *d_lcps;  // d_lcps: null without LCPs
  std::uint8_t* d_scratch;
  std::size_t count, total_bytes;

  enum class Lcps { kNone, kWanted };
  static std::size_t bytes(const DeviceStringSorter& sorter, std::size_t count, std::size_t total_bytes, Lcps lcps);
  // Takes bytes() from the arena. Throws GpuMemoryError.
  StringSortSpace(DeviceArena& arena, const DeviceStringSorter& sorter, std::size_t count, std::size_t total_bytes,
                  Lcps lcps);
  DeviceStrings strings() const { return {d_bytes, d_offsets, count, total_bytes}; }
  // Requires: the strings have been copied. Writes zeros after them, because sorters read whole words.
  void sort(const DeviceStringSorter& sorter, GpuStreamHandle stream) const;
};

// Writes order and, unless empty, lcps as DeviceStringSorter::sort does. Requires: the stream's GPU is current; strings
// and results live until the stream is done, when the results are complete. Everything taken from the arena is given
// back on return: later users of that memory must use the same stream. Throws GpuError.
void sort_packed_strings(const DeviceStringSorter& sorter, const HostStrings& strings, std::span<std::uint32_t> order,
                         std::span<std::uint32_t> lcps, DeviceArena& arena, const GpuStream& stream);

}  // namespace spillway
