// The lists of sort/gpu/registry.hpp in a build with CUDA.
#include "sort/gpu/bitonic/sorter.hpp"
#include "sort/gpu/merge/davidson_sorter.hpp"
#include "sort/gpu/merge/satish_sorter.hpp"
#include "sort/gpu/merge/sorter.hpp"
#include "sort/gpu/merge_paper/sorter.hpp"
#include "sort/gpu/quick/sorter.hpp"
#include "sort/gpu/radix/satish_sorter.hpp"
#include "sort/gpu/radix/sorter.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/gpu/string/comparison_sorters.hpp"
#include "sort/gpu/string_merge/sorter.hpp"
#include "sort/gpu/string_merge_paper/sorter.hpp"
#include "sort/gpu/string_radix/sorter.hpp"
#include "sort/gpu/string_radix_paper/sorter.hpp"

namespace spillway {

const std::vector<const DeviceRecordSorter*>& device_record_sorters() {
  static const GpuRadixSorter radix;
  static const GpuSatishRadixSorter satish_radix;
  static const GpuMergeSorter merge;
  static const GpuDavidsonSorter davidson;
  static const GpuSatishMergeSorter satish_merge;
  static const GpuBitonicSorter bitonic;
  static const GpuQuickSorter quick;
  static const GpuMergePaperSorter merge_of_paper;
  static const std::vector<const DeviceRecordSorter*> all{&radix,        &satish_radix, &merge, &davidson,
                                                          &satish_merge, &bitonic,      &quick, &merge_of_paper};
  return all;
}

const std::vector<const DeviceStringSorter*>& device_string_sorters() {
  static const GpuStringRadixSorter radix;
  static const GpuStringMergeSorter merge;
  static const GpuStringThrustSorter thrust;
  static const GpuStringRadixPaperSorter radix_of_paper;
  static const GpuStringMergePaperSorter merge_of_paper;
  static const std::vector<const DeviceStringSorter*> all{&radix, &merge, &thrust, &radix_of_paper, &merge_of_paper};
  return all;
}

const std::vector<const DeviceStringSorter*>& device_string_variants() {
  static const GpuStringRadixPaperSorter fixed({.name = "gpu-string-radix:paper, ids of 4 bytes",
                                                .singletons = Singletons::kRemoved,
                                                .ids = SegmentIds::kFourBytes});
  static const GpuStringRadixPaperSorter kept({.name = "gpu-string-radix:paper, ids of 4 bytes, singletons kept",
                                               .singletons = Singletons::kKept,
                                               .ids = SegmentIds::kFourBytes});
  static const std::vector<const DeviceStringSorter*> all{&fixed, &kept};
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
