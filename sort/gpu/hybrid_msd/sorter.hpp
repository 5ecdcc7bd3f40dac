// `hybrid-msd`: the CPU cuts the first bytes off the strings, the GPU sorts them from the most significant digit on,
// and the CPU finishes the buckets of equal ones (Drozd et al. 2014, III.B and IV.B). Only prefixes cross the bus.
#pragma once

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// For strings in host memory. Scratch: 32 bytes a string, for buckets that the CPU finishes, and the pieces of the
// copies. Without a GPU sort() throws GpuError, saying why.
class HybridMsdSorter final : public StringSorter {
 public:
  enum class Place { kGpu, kHostForm };  // where the prefixes are sorted
  explicit HybridMsdSorter(Place place) : place_(place) {}

  std::string_view name() const override { return "hybrid-msd"; }
  bool needs_gpu() const override { return place_ == Place::kGpu; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;

 private:
  Place place_;
};

}  // namespace spillway
