// CUB's radix sort, called as its documentation calls it.
#include <cub/device/device_radix_sort.cuh>

#include "sort/gpu/device/cuda_check.cuh"
#include "sort/gpu/interface/baselines.hpp"

namespace spillway {

namespace {

class CubRadixBaseline final : public DeviceRecordSorter {
 public:
  std::string_view name() const override { return "cub-radix"; }
  bool stable() const override { return true; }

  std::size_t scratch_bytes(std::size_t count, BitRange bits) const override {
    cub::DoubleBuffer<std::uint64_t> keys(nullptr, nullptr);
    std::size_t own = 0;
    cuda_check(cub::DeviceRadixSort::SortKeys(nullptr, own, keys, count, static_cast<int>(bits.begin),
                                              static_cast<int>(bits.end)));
    return device_aligned(count * sizeof(std::uint64_t)) + device_aligned(own);
  }

  std::uint64_t* sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                      GpuStreamHandle stream) const override {
    const std::size_t second_bytes = device_aligned(count * sizeof(std::uint64_t));
    cub::DoubleBuffer<std::uint64_t> keys(d_keys, reinterpret_cast<std::uint64_t*>(d_scratch));
    std::size_t own = scratch_bytes(count, bits) - second_bytes;
    cuda_check(cub::DeviceRadixSort::SortKeys(d_scratch + second_bytes, own, keys, count, static_cast<int>(bits.begin),
                                              static_cast<int>(bits.end), stream));
    return keys.Current();
  }
};

}  // namespace

const std::vector<const DeviceRecordSorter*>& device_record_baselines() {
  static const CubRadixBaseline radix;
  static const std::vector<const DeviceRecordSorter*> all{&radix};
  return all;
}

}  // namespace spillway
