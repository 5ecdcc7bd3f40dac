// The interface of sorters for strings in device memory. A plain C++ header: the sorters are in .cu files, and
// sort/gpu/registry.hpp lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sort/gpu/device/arena.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

// String i is bytes [offsets[i], offsets[i + 1]); offsets ascend from 0 to total_bytes. Requires: d_bytes is aligned to
// 16 and readable up to total_bytes rounded up to 16; the bytes after the last string may have any value.
struct DeviceStrings {
  const std::uint8_t* d_bytes = nullptr;
  const std::uint64_t* d_offsets = nullptr;  // count + 1
  std::size_t count = 0;                     // at most 2^32 - 1 (UsageError)
  std::size_t total_bytes = 0;
};

// The result of DeviceStringSorter::sort_and_mark(): an element for each string, in order.
struct MarkedOrder {
  std::uint32_t* d_order = nullptr;
  std::uint8_t* d_firsts = nullptr;
};

// Stateless and thread-safe. All device pointers belong to the stream's GPU, which must be the calling thread's current
// one.
class DeviceStringSorter {
 public:
  virtual ~DeviceStringSorter() = default;
  virtual std::string_view name() const = 0;
  // The most device bytes that sort() needs besides strings and results.
  virtual std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const = 0;
  // d_order[i] = index of the i-th smallest string; equal strings stay in index order. d_lcps, unless null: length of
  // the common prefix of order[i-1] and order[i] in bytes, 0 for the first. Requires: d_scratch is aligned to
  // kDeviceAlignment. Enqueues all work on the stream, and may wait for the stream in between. Throws GpuError.
  virtual void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps,
                    std::uint8_t* d_scratch, GpuStreamHandle stream) const = 0;
  // As sort() without LCPs, and tells which strings are equal: d_firsts[i] = 1 where string d_order[i] differs from the
  // one before it in order, and for i = 0; else 0. A sorter whose keys know it reads no string for that.
  virtual void sort_and_mark(const DeviceStrings& strings, const MarkedOrder& out, std::uint8_t* d_scratch,
                             GpuStreamHandle stream) const;
  // As sort() without LCPs, and returns the times of its steps by events on the stream, for which it waits. Sorters
  // without a clock sort, and return none.
  virtual SortSteps sort_in_steps(const DeviceStrings& strings, std::uint32_t* d_order, std::uint8_t* d_scratch,
                                  GpuStreamHandle stream) const {
    sort(strings, d_order, nullptr, d_scratch, stream);
    return {};
  }
};

}  // namespace spillway
