// GPU string sorters for strings anywhere in host memory: packed by all threads while earlier pieces go up, sort, order
// (and LCPs) down. What `--string-sorter` and the contract tests use; a block's visit keeps its strings on the device
// and calls DeviceStringSorter itself, and strings that are packed already take sort/gpu/host/packed_string_sort.hpp.
#pragma once

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Takes device memory for each call, on the first usable GPU. Without one sort() throws GpuError, saying why.
class GpuStringSorter final : public StringSorter {
 public:
  explicit GpuStringSorter(std::string_view name) : name_(name) {}

  std::string_view name() const override { return name_; }
  bool needs_gpu() const override { return true; }
  // The pieces that strings and results are copied in, pinned during the sort: 16 MiB for large sets.
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;

 private:
  std::string_view name_;
};

}  // namespace spillway
