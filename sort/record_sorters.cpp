#include "sort/cpu/quick_sorter.hpp"
#include "sort/cpu/radix_sorter.hpp"
#include "sort/gpu/host/record_sorter.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway {

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
  for (const auto* sorters : {&record_sorters(), &gpu_record_sorters()}) {
    for (const RecordSorter* sorter : *sorters) {
      if (sorter->name() == name) return sorter;
    }
  }
  return nullptr;
}

}  // namespace spillway
