// Names of the GPU sorters, their host forms, and lookup: what is the same in every build.
#include <algorithm>
#include <stdexcept>

#include "sort/gpu/bitonic/host_form.hpp"
#include "sort/gpu/hybrid_msd/sorter.hpp"
#include "sort/gpu/interface/record_sorter.hpp"
#include "sort/gpu/interface/string_sorter.hpp"
#include "sort/gpu/merge/davidson_host_form.hpp"
#include "sort/gpu/merge/satish_host_form.hpp"
#include "sort/gpu/radix/satish_host_form.hpp"
#include "sort/gpu/string_merge/host_form.hpp"
#include "sort/gpu/string_radix/host_form.hpp"

namespace spillway {

std::size_t DeviceRecordSorter::pairs_scratch_bytes(std::size_t, BitRange) const {
  throw std::logic_error(std::string(name()) + " sorts no pairs");
}

DeviceRecordSorter::Pairs DeviceRecordSorter::sort_pairs(Pairs, std::size_t, BitRange, std::uint8_t*,
                                                         GpuStreamHandle) const {
  throw std::logic_error(std::string(name()) + " sorts no pairs");
}

const DeviceRecordSorter* find_device_record_sorter(std::string_view name) {
  for (const DeviceRecordSorter* sorter : device_record_sorters()) {
    if (sorter->name() == name) return sorter;
  }
  return nullptr;
}

const DeviceStringSorter* find_device_string_sorter(std::string_view name) {
  for (const DeviceStringSorter* sorter : device_string_sorters()) {
    if (sorter->name() == name) return sorter;
  }
  return nullptr;
}

const std::vector<GpuSorterName>& gpu_record_sorter_names() {
  static const std::vector<GpuSorterName> names{{"gpu-radix", true},        {"gpu-radix:satish", true},
                                                {"gpu-merge", true},        {"gpu-merge:davidson", true},
                                                {"gpu-merge:satish", true}, {"gpu-bitonic", false}};
  return names;
}

const std::vector<std::string_view>& gpu_string_sorter_names() {
  static const std::vector<std::string_view> names{"gpu-string-radix", "gpu-string-merge", "gpu-string-thrust"};
  return names;
}

const std::vector<const RecordSorter*>& gpu_record_sorter_host_forms() {
  static const SatishRadixHostForm satish_radix;
  static const DavidsonHostForm davidson;
  static const SatishMergeHostForm satish_merge;
  static const BitonicHostForm bitonic;
  static const std::vector<const RecordSorter*> all{&satish_radix, &davidson, &satish_merge, &bitonic};
  return all;
}

const std::vector<const StringSorter*>& gpu_string_sorter_host_forms() {
  static const StringRadixHostForm radix;
  static const StringMergeHostForm merge;
  static const HybridMsdSorter hybrid(HybridMsdSorter::Place::kHostForm);
  static const std::vector<const StringSorter*> all{&radix, &merge, &hybrid};
  return all;
}

}  // namespace spillway
