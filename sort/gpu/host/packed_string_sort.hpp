// Strings that lie behind each other in host memory, sorted on the GPU: up, sort, down. The shortest way for strings
// that are packed already; from pinned memory it runs at the speed of the bus.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// String i is bytes [offsets[i], offsets[i + 1]); offsets ascend from 0 to bytes.size(), one more than there are
// strings.
struct HostStrings {
  std::span<const std::uint8_t> bytes;
  std::span<const std::uint64_t> offsets;
  std::size_t count() const { return offsets.size() - 1; }
};

// Device memory of a sort: strings, result and the sorter's scratch.
struct StringSortSpace {
  std::uint8_t* d_bytes;
  std::uint64_t* d_offsets;
  std::uint32_t *d_order, *d_lcps;  // d_lcps: null where none are wanted
  std::uint8_t* d_scratch;
  std::size_t count, total_bytes;

  enum class Lcps { kNone, kWanted };
  static std::size_t bytes(const DeviceStringSorter& sorter, std::size_t count, std::size_t total_bytes, Lcps lcps);
  // Takes bytes() of the arena. GpuMemoryError.
  StringSortSpace(DeviceArena& arena, const DeviceStringSorter& sorter, std::size_t count, std::size_t total_bytes,
                  Lcps lcps);
  DeviceStrings strings() const { return {d_bytes, d_offsets, count, total_bytes}; }
  // Once the strings are there. Zeros are put behind them first, for sorters read whole words.
  void sort(const DeviceStringSorter& sorter, GpuStreamHandle stream) const;
};

// order[i] = index of the i-th smallest string, as DeviceStringSorter; lcps: empty, or as long. Puts all on the stream,
// whose GPU is current: the result is there when the stream is done, and strings and result live until then. The arena
// is as it was on return; what is taken of it later runs behind this on the same stream. Throws GpuError.
void sort_packed_strings(const DeviceStringSorter& sorter, const HostStrings& strings, std::span<std::uint32_t> order,
                         std::span<std::uint32_t> lcps, DeviceArena& arena, const GpuStream& stream);

}  // namespace spillway
