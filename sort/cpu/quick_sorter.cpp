#include "sort/cpu/quick_sorter.hpp"

#include <tbb/parallel_sort.h>

#include "sort/interface/scratch.hpp"

namespace spillway {

void QuickSorter::sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t>) const {
  const std::uint64_t mask = bit_mask(bits);
  if (mask == ~std::uint64_t{0}) {
    tbb::parallel_sort(keys.begin(), keys.end());
    return;
  }
  tbb::parallel_sort(keys.begin(), keys.end(), [mask](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t masked_a = a & mask, masked_b = b & mask;
    return masked_a != masked_b ? masked_a < masked_b : a < b;
  });
}

}  // namespace spillway
