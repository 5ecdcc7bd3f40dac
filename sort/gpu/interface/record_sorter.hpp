// The interface of record sorters that work on keys in device memory. Plain C++: the sorters are in *.cu files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sort/gpu/device/memory.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway {

// Stateless and thread-safe. All device pointers are of the stream's GPU, which is the calling thread's current one.
class DeviceRecordSorter {
 public:
  virtual ~DeviceRecordSorter() = default;
  virtual std::string_view name() const = 0;
  virtual bool stable() const = 0;
  // Device bytes that sort() needs besides the keys, at most. Asks the current GPU where that decides.
  virtual std::size_t scratch_bytes(std::size_t count, BitRange bits) const = 0;
  // Puts the sort on the stream; as RecordSorter::sort, for keys aligned to 16 bytes and scratch to kDeviceAlignment.
  // Returns where the sorted keys stand: d_keys, or inside d_scratch. The other place then holds anything. Throws
  // GpuError.
  virtual std::uint64_t* sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                              GpuStreamHandle stream) const = 0;

  // The same for keys with a value each, where the sorter's paper sorts pairs.
  struct Pairs {
    std::uint64_t* d_keys = nullptr;
    std::uint32_t* d_values = nullptr;
  };
  virtual bool has_pairs() const { return false; }
  virtual std::size_t pairs_scratch_bytes(std::size_t count, BitRange bits) const;
  virtual Pairs sort_pairs(Pairs pairs, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                           GpuStreamHandle stream) const;
};

// What a second copy of so many keys takes of a DeviceArena, and of as many pairs.
inline std::size_t keys_bytes(std::size_t count) { return device_aligned(count * sizeof(std::uint64_t)); }
inline std::size_t pairs_bytes(std::size_t count) {
  return keys_bytes(count) + device_aligned(count * sizeof(std::uint32_t));
}

// All of them: none in a program that was built without CUDA. Order as kGpuRecordSorters.
const std::vector<const DeviceRecordSorter*>& device_record_sorters();
const DeviceRecordSorter* find_device_record_sorter(std::string_view name);

// Names and properties, which are known in every build.
struct GpuSorterName {
  std::string_view name;
  bool stable;
};
const std::vector<GpuSorterName>& gpu_record_sorter_names();

// The same algorithms run step by step on the CPU, for tests without a GPU: those written here, not CUB's. Names as
// above.
const std::vector<const RecordSorter*>& gpu_record_sorter_host_forms();

}  // namespace spillway
