// Two keys that are loaded and stored in one access of 16 bytes.
#pragma once

#include <cstdint>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

struct KeyPair {
  std::uint64_t first;
  std::uint64_t second;
};

// Requires: addresses aligned to 16 bytes.
SPILLWAY_HOST_DEVICE inline KeyPair load_pair(const std::uint64_t* keys) {
#ifdef __CUDA_ARCH__
  const ulonglong2 pair = *reinterpret_cast<const ulonglong2*>(keys);
  return {pair.x, pair.y};
#else
  return {keys[0], keys[1]};
#endif
}

SPILLWAY_HOST_DEVICE inline void store_pair(std::uint64_t* keys, KeyPair pair) {
#ifdef __CUDA_ARCH__
  *reinterpret_cast<ulonglong2*>(keys) = make_ulonglong2(pair.first, pair.second);
#else
  keys[0] = pair.first;
  keys[1] = pair.second;
#endif
}

}  // namespace spillway
