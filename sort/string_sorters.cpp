#include "sort/cpu/msd_sorter.hpp"
#include "sort/cpu/multikey_sorter.hpp"
#include "sort/gpu/host/string_sorter.hpp"
#include "sort/gpu/hybrid_msd/sorter.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

const std::vector<const StringSorter*>& string_sorters() {
  static const MsdSorter msd;
  static const MultikeySorter multikey;
  static const std::vector<const StringSorter*> all{&msd, &multikey};
  return all;
}

const std::vector<const StringSorter*>& gpu_string_sorters() {
  static const std::vector<GpuStringSorter> sorters(gpu_string_sorter_names().begin(), gpu_string_sorter_names().end());
  static const HybridMsdSorter hybrid;
  static const std::vector<const StringSorter*> all = [] {
    std::vector<const StringSorter*> pointers;
    for (const GpuStringSorter& sorter : sorters) pointers.push_back(&sorter);
    pointers.push_back(&hybrid);
    return pointers;
  }();
  return all;
}

const StringSorter* find_string_sorter(std::string_view name) {
  for (const auto* sorters : {&string_sorters(), &gpu_string_sorters()}) {
    for (const StringSorter* sorter : *sorters) {
      if (sorter->name() == name) return sorter;
    }
  }
  return nullptr;
}

}  // namespace spillway
