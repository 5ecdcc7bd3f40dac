#include "indexer/gpu/merge/batch_host.hpp"

namespace spillway {

namespace {

// A span of `count` elements that the arena gives.
template <typename T>
std::span<T> take(DeviceArena& arena, std::size_t count) {
  return {arena.take<T>(count), count};
}

BatchArrays take_arrays(DeviceArena& arena, const BatchLimits& limits) {
  BatchArrays arrays;
  arrays.postings = take<std::uint8_t>(arena, limits.posting_bytes);
  arrays.distances = take<std::uint8_t>(arena, limits.distance_bytes);
  arrays.starts = take<std::uint64_t>(arena, batch_groups(limits.posting_bytes));
  arrays.fragments = take<BatchFragment>(arena, limits.fragments + 1);
  arrays.lists = take<BatchList>(arena, limits.lists + 1);
  return arrays;
}

}  // namespace

BatchArrays batch_arrays(std::uint8_t* memory, const BatchLimits& limits) {
  DeviceArena arena(memory, batch_host_bytes(limits));
  return take_arrays(arena, limits);
}

std::size_t batch_host_bytes(const BatchLimits& limits) {
  DeviceArena arena = DeviceArena::for_counting();
  take_arrays(arena, limits);
  return arena.used_bytes();
}

}  // namespace spillway
