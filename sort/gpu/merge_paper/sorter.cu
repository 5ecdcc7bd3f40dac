#include "sort/gpu/merge_paper/sorter.hpp"

#include "sort/gpu/interface/key_order.hpp"
#include "sort/gpu/merge_paper/passes.cuh"

namespace spillway {

namespace {

template <typename Less>
struct KeyOrder {
  Less compare;
  __device__ bool less(std::uint64_t a, std::uint64_t b) const { return compare(a, b); }
  __device__ void end(unsigned) const {}
};

}  // namespace

std::uint64_t* GpuMergePaperSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits,
                                         std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return d_keys;
  std::uint64_t* d_sorted = nullptr;
  with_key_order(bits, [&](auto less) {
    d_sorted = merge_paper::sort_items(d_keys, reinterpret_cast<std::uint64_t*>(d_scratch), count,
                                       KeyOrder<decltype(less)>{less}, stream, [](unsigned) {});
  });
  return d_sorted;
}

}  // namespace spillway
