// GPU string sorters for strings anywhere in host memory: all threads pack strings while earlier ones are copied up,
// then the GPU sorts, then the order (and LCPs) is copied down. A block pass keeps its strings on the device and calls
// DeviceStringSorter itself.
#pragma once

#include <utility>
#include <vector>

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Takes a lane of gpu_sort_lanes() in each call, of one of `gpus` (ids) or, if there are none, of any GPU. Without a
// usable GPU sort() throws GpuError with the reason.
class GpuStringSorter final : public StringSorter {
 public:
  explicit GpuStringSorter(std::string_view name, std::vector<int> gpus = {}) : name_(name), gpus_(std::move(gpus)) {}

  std::string_view name() const override { return name_; }
  bool needs_gpu() const override { return true; }
  // The staging buffers of the copies, pinned during the sort (16 MiB for large sets), and the packer's sums.
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;

 private:
  std::string_view name_;
  std::vector<int> gpus_;
};

}  // namespace spillway
