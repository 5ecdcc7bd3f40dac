#include "sort/gpu/registry.hpp"

#include <algorithm>

namespace spillway {

namespace {

template <typename Sorter>
const Sorter* find_named(const std::vector<const Sorter*>& sorters, std::string_view name) {
  const auto found = std::find_if(sorters.begin(), sorters.end(), [&](auto* sorter) { return sorter->name() == name; });
  return found == sorters.end() ? nullptr : *found;
}

}  // namespace

const std::vector<GpuSorterName>& gpu_record_sorter_names() {
  static const std::vector<GpuSorterName> names{
      {"gpu-radix", true},        {"gpu-radix:satish", true}, {"gpu-merge", true},  {"gpu-merge:davidson", true},
      {"gpu-merge:satish", true}, {"gpu-bitonic", false},     {"gpu-quick", false}, {"gpu-merge:paper", true}};
  return names;
}

const std::vector<std::string_view>& gpu_string_sorter_names() {
  static const std::vector<std::string_view> names{"gpu-string-radix", "gpu-string-merge", "gpu-string-thrust",
                                                   "gpu-string-radix:paper", "gpu-string-merge:paper"};
  return names;
}

const DeviceRecordSorter* find_device_record_sorter(std::string_view name) {
  return find_named(device_record_sorters(), name);
}

const DeviceStringSorter* find_device_string_sorter(std::string_view name) {
  return find_named(device_string_sorters(), name);
}

const DeviceRecordSorter* find_device_record_contestant(std::string_view name) {
  const DeviceRecordSorter* const sorter = find_device_record_sorter(name);
  return sorter != nullptr ? sorter : find_named(device_record_baselines(), name);
}

const DeviceStringSorter* find_device_string_contestant(std::string_view name) {
  const DeviceStringSorter* const sorter = find_device_string_sorter(name);
  if (sorter != nullptr) return sorter;
  const DeviceStringSorter* const variant = find_named(device_string_variants(), name);
  return variant != nullptr ? variant : find_named(device_string_baselines(), name);
}

}  // namespace spillway
