#include "sort/sorters.hpp"

#include "sort/cpu/msd_sorter.hpp"
#include "sort/cpu/multikey_sorter.hpp"
#include "sort/cpu/quick_sorter.hpp"
#include "sort/cpu/radix_sorter.hpp"
#include "sort/gpu/host/record_sorter.hpp"
#include "sort/gpu/host/string_sorter.hpp"
#include "sort/gpu/hybrid_msd/sorter.hpp"
#include "sort/gpu/registry.hpp"

namespace spillway {

namespace {

template <typename Sorter>
const Sorter* find_sorter(std::string_view name, const std::vector<const Sorter*>& on_cpu,
                          const std::vector<const Sorter*>& on_gpu) {
  for (const auto* sorters : {&on_cpu, &on_gpu}) {
    for (const Sorter* sorter : *sorters) {
      if (sorter->name() == name) return sorter;
    }
  }
  return nullptr;
}

}  // namespace

const std::vector<const RecordSorter*>& record_sorters() {
  static const RadixSorter radix;
  static const QuickSorter quick;
  static const std::vector<const RecordSorter*> all{&radix, &quick};
  return all;
}

const std::vector<const RecordSorter*>& gpu_record_sorters() {
  static const std::vector<GpuRecordSorter> sorters(gpu_record_sorter_names().begin(), gpu_record_sorter_names().end());
  static const std::vector<const RecordSorter*> all = [] {
    std::vector<const RecordSorter*> pointers;
    for (const GpuRecordSorter& sorter : sorters) pointers.push_back(&sorter);
    return pointers;
  }();
  return all;
}

const RecordSorter* find_record_sorter(std::string_view name) {
  return find_sorter(name, record_sorters(), gpu_record_sorters());
}

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
  return find_sorter(name, string_sorters(), gpu_string_sorters());
}

std::unique_ptr<StringSorter> make_gpu_string_sorter(std::string_view name, const std::vector<int>& gpus) {
  if (name == "hybrid-msd") return std::make_unique<HybridMsdSorter>(gpus);
  return std::make_unique<GpuStringSorter>(find_string_sorter(name)->name(), gpus);  // the name of the list stays
}

}  // namespace spillway
