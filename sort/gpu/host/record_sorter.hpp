// GPU record sorters for keys in host memory: copy up, sort, copy down. CPU modes with a GPU `--record-sorter` and the
// contract tests use them; a block pass keeps its keys on the device and calls DeviceRecordSorter itself.
#pragma once

#include "sort/gpu/registry.hpp"

namespace spillway {

// Takes a lane of gpu_sort_lanes() in each call. Without a usable GPU sort() throws GpuError with the reason.
class GpuRecordSorter final : public RecordSorter {
 public:
  explicit GpuRecordSorter(const GpuSorterName& name) : name_(name) {}

  std::string_view name() const override { return name_.name; }
  bool stable() const override { return name_.stable; }
  bool needs_gpu() const override { return true; }
  std::size_t scratch_bytes(std::size_t, BitRange) const override { return 0; }
  void sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch) const override;

 private:
  GpuSorterName name_;
};

}  // namespace spillway
