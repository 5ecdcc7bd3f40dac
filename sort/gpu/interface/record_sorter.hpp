// The interface of sorters for keys in device memory. A plain C++ header: the sorters are in .cu files, and
// sort/gpu/registry.hpp lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sort/gpu/device/arena.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway {

// Stateless and thread-safe. All device pointers belong to the stream's GPU, which must be the calling thread's current
// one.
class DeviceRecordSorter {
 public:
  virtual ~DeviceRecordSorter() = default;
  virtual std::string_view name() const = 0;
  virtual bool stable() const = 0;
  // The most device bytes that sort() needs besides the keys. May query the current GPU.
  virtual std::size_t scratch_bytes(std::size_t count, BitRange bits) const = 0;
  // Enqueues the sort on the stream, with the order of RecordSorter::sort. Requires: keys aligned to 16 bytes, scratch
  // to kDeviceAlignment. Returns where the sorted keys will be: at d_keys or inside d_scratch; the contents of the
  // other place are undefined. Throws GpuError.
  virtual std::uint64_t* sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                              GpuStreamHandle stream) const = 0;

  // The same for keys with one 32-bit value each, by sorters whose paper sorts pairs; std::logic_error by the others.
  struct Pairs {
    std::uint64_t* d_keys = nullptr;
    std::uint32_t* d_values = nullptr;
  };
  virtual bool has_pairs() const { return false; }
  virtual std::size_t pairs_scratch_bytes(std::size_t count, BitRange bits) const;
  virtual Pairs sort_pairs(Pairs pairs, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                           GpuStreamHandle stream) const;
};

// DeviceArena bytes of a second copy of `count` keys, and of `count` pairs.
inline std::size_t keys_bytes(std::size_t count) { return device_aligned(count * sizeof(std::uint64_t)); }
inline std::size_t pairs_bytes(std::size_t count) {
  return keys_bytes(count) + device_aligned(count * sizeof(std::uint32_t));
}

}  // namespace spillway
