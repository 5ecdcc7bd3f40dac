// `hybrid-msd` with its GPU part run on the CPU: the same buckets, tiles and moves.
#pragma once

#include "sort/gpu/hybrid_msd/sorter.hpp"

namespace spillway {

class HybridMsdHostForm final : public HybridMsdSorter {
 public:
  bool needs_gpu() const override { return false; }

 private:
  std::unique_ptr<PrefixSort> make_prefix_sort(std::size_t count, std::span<std::uint8_t>) const override;
};

}  // namespace spillway
