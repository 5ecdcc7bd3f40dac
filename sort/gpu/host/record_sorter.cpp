#include "sort/gpu/host/record_sorter.hpp"

#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/sort_lanes.hpp"

namespace spillway {

void GpuRecordSorter::sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t>) const {
  const DeviceRecordSorter* const sorter = find_device_record_sorter(name());
  if (sorter == nullptr) throw GpuError(std::string(name()) + " is not in this program");
  GpuSortLanes::Turn turn = gpu_sort_lanes().take();
  const GpuStream& stream = turn.stream();
  stream.make_current();
  const std::size_t scratch_bytes = sorter->scratch_bytes(keys.size(), bits);
  DeviceArena arena(turn.memory(keys_bytes(keys.size()) + device_aligned(scratch_bytes)));
  auto* const d_keys = arena.take<std::uint64_t>(keys.size());
  std::uint8_t* const d_scratch = arena.take_bytes(scratch_bytes);
  copy_to_device(d_keys, keys.data(), keys.size_bytes(), stream.handle());
  const std::uint64_t* const d_sorted = sorter->sort(d_keys, keys.size(), bits, d_scratch, stream.handle());
  copy_to_host(keys.data(), d_sorted, keys.size_bytes(), stream.handle());
  stream.synchronize();
  turn.done();
}

}  // namespace spillway
