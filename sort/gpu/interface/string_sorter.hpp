// The interface of string sorters that work on strings in device memory. Plain C++: the sorters are in *.cu files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sort/gpu/device/memory.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

// String i is bytes [offsets[i], offsets[i + 1]); offsets ascend from 0 to total_bytes. The bytes are aligned to 16 and
// readable up to total_bytes rounded up to 16 (what stands behind the last string does not matter).
struct DeviceStrings {
  const std::uint8_t* d_bytes = nullptr;
  const std::uint64_t* d_offsets = nullptr;  // count + 1
  std::size_t count = 0;                     // at most 2^32 - 1 (UsageError)
  std::size_t total_bytes = 0;
};

// Stateless and thread-safe. All device pointers are of the stream's GPU, which is the calling thread's current one.
class DeviceStringSorter {
 public:
  virtual ~DeviceStringSorter() = default;
  virtual std::string_view name() const = 0;
  // Device bytes that sort() needs besides strings and results, at most.
  virtual std::size_t scratch_bytes(std::size_t count, std::size_t total_bytes) const = 0;
  // d_order[i] = index of the i-th smallest string; equal strings in index order. d_lcps, unless null: common prefix of
  // order[i-1] and order[i] in bytes, the first 0. Scratch is aligned to kDeviceAlignment. The work is on the stream
  // when this returns; it may wait for the stream in between. Throws GpuError.
  virtual void sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps,
                    std::uint8_t* d_scratch, GpuStreamHandle stream) const = 0;
};

// All of them: none in a program that was built without CUDA.
const std::vector<const DeviceStringSorter*>& device_string_sorters();
const DeviceStringSorter* find_device_string_sorter(std::string_view name);

// Names, which are known in every build.
const std::vector<std::string_view>& gpu_string_sorter_names();

// The same algorithms run step by step on the CPU, for tests without a GPU. Names as above.
const std::vector<const StringSorter*>& gpu_string_sorter_host_forms();

}  // namespace spillway
