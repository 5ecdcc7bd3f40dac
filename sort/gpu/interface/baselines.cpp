#include "sort/gpu/interface/baselines.hpp"

namespace spillway {

namespace {

template <typename Sorter>
const Sorter* named(std::string_view name, const Sorter* sorter, const std::vector<const Sorter*>& baselines) {
  if (sorter != nullptr) return sorter;
  for (const Sorter* baseline : baselines) {
    if (baseline->name() == name) return baseline;
  }
  return nullptr;
}

}  // namespace

const DeviceRecordSorter* find_device_record_contestant(std::string_view name) {
  return named(name, find_device_record_sorter(name), device_record_baselines());
}

const DeviceStringSorter* find_device_string_contestant(std::string_view name) {
  return named(name, find_device_string_sorter(name), device_string_baselines());
}

}  // namespace spillway
