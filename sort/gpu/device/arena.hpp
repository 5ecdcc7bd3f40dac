// Divides one allocation of device memory among the consumers of a stream, from front to back. Nothing is allocated
// while work is in flight, and the size of the whole is known in advance.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sort/gpu/device/memory.hpp"

namespace spillway {

inline constexpr std::size_t kDeviceAlignment = 256;
inline constexpr std::size_t device_aligned(std::size_t bytes) {
  return (bytes + kDeviceAlignment - 1) / kDeviceAlignment * kDeviceAlignment;
}

// A stack of allocations in device memory that it does not own. Not thread-safe.
class DeviceArena {
 public:
  DeviceArena() = default;
  DeviceArena(std::uint8_t* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  explicit DeviceArena(const DeviceBuffer& buffer) : DeviceArena(buffer.data(), buffer.size()) {}
  // Makes an arena without memory, to compute sizes: used_bytes() is what the same allocations take in a real arena.
  static DeviceArena for_counting() { return {nullptr, ~std::size_t{0}}; }

  // Returns uninitialised memory aligned to kDeviceAlignment. GpuMemoryError, with the missing bytes, where it does not
  // fit.
  template <typename T>
  T* take(std::size_t count) {
    return reinterpret_cast<T*>(take_bytes(count * sizeof(T)));
  }
  std::uint8_t* take_bytes(std::size_t bytes);
  std::size_t free_bytes() const { return bytes_ - used_; }
  std::size_t used_bytes() const { return used_; }
  // Gives back everything taken since used_bytes() was `mark`.
  void release(std::size_t mark) { used_ = mark; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0, used_ = 0;
};

}  // namespace spillway
