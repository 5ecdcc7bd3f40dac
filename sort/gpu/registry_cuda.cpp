// The lists of sort/gpu/registry.hpp in a build with CUDA.
#include "sort/gpu/bitonic/sorter.hpp"
#include "sort/gpu/merge/davidson_sorter.hpp"
#include "sort/gpu/merge/satish_sorter.hpp"
#include "sort/gpu/merge/sorter.hpp"
#include "sort/gpu/radix/satish_sorter.hpp"
#include "sort/gpu/radix/sorter.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/gpu/string/comparison_sorters.hpp"
#include "sort/gpu/string_merge/sorter.hpp"
#include "sort/gpu/string_radix/sorter.hpp"

namespace spillway {

const std::vector<const DeviceRecordSorter*>& device_record_sorters() {
  static const GpuRadixSorter radix;
  static const GpuSatishRadixSorter satish_radix;
  static const GpuMergeSorter merge;
  static const GpuDavidsonSorter davidson;
  static const GpuSatishMergeSorter satish_merge;
  static const GpuBitonicSorter bitonic;
  static const std::vector<const DeviceRecordSorter*> all{&radix,    &satish_radix, &merge,
                                                          &davidson, &satish_merge, &bitonic};
  return all;
}

const std::vector<const DeviceStringSorter*>& device_string_sorters() {
  static const GpuStringRadixSorter radix;
  static const GpuStringMergeSorter merge;
  static const GpuStringThrustSorter thrust;
  static const std::vector<const DeviceStringSorter*> all{&radix, &merge, &thrust};
  return all;
}

const std::vector<const DeviceRecordSorter*>& device_record_baselines() {
  static const std::vector<const DeviceRecordSorter*> all{&cub_radix_baseline()};
  return all;
}

const std::vector<const DeviceStringSorter*>& device_string_baselines() {
  static const std::vector<const DeviceStringSorter*> all{&prefix_record_baseline()};
  return all;
}

}  // namespace spillway
