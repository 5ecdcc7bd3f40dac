#include "sort/gpu/device/sort_lanes.hpp"

#include "sort/gpu/device/status.hpp"

namespace spillway {

namespace {

// A sort of 4 GiB on the device takes 80 ms to copy up, and an allocation 1 ms at most: it need not be kept.
constexpr std::size_t kMostKeptBytes = std::size_t{1} << 30;

}  // namespace

GpuSortLanes& gpu_sort_lanes() {
  // Never destroyed: the driver may end before objects of static duration do.
  static GpuSortLanes& lanes = *new GpuSortLanes(usable_gpus(), kMostKeptBytes);
  return lanes;
}

}  // namespace spillway
