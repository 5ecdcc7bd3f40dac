#include "sort/gpu/host/record_sorter.hpp"

#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/status.hpp"

namespace spillway {

void GpuRecordSorter::sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t>) const {
  const int gpu = first_usable_gpu();
  const DeviceRecordSorter* const sorter = find_device_record_sorter(name());
  if (sorter == nullptr) throw GpuError(std::string(name()) + " is not in this program");
  const GpuStream stream(gpu);
  const DeviceBuffer d_keys(gpu, keys.size_bytes());
  const DeviceBuffer d_scratch(gpu, sorter->scratch_bytes(keys.size(), bits));
  copy_to_device(d_keys.data(), keys.data(), keys.size_bytes(), stream.handle());
  const std::uint64_t* const d_sorted = sorter->sort(reinterpret_cast<std::uint64_t*>(d_keys.data()), keys.size(), bits,
                                                     d_scratch.data(), stream.handle());
  copy_to_host(keys.data(), d_sorted, keys.size_bytes(), stream.handle());
  stream.synchronize();
}

}  // namespace spillway
