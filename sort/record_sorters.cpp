#include "sort/cpu/quick_sorter.hpp"
#include "sort/cpu/radix_sorter.hpp"
#include "sort/record_sorter.hpp"

namespace spillway {

const std::vector<const RecordSorter*>& record_sorters() {
  static const RadixSorter radix;
  static const QuickSorter quick;
  static const std::vector<const RecordSorter*> all{&radix, &quick};
  return all;
}

const RecordSorter* find_record_sorter(std::string_view name) {
  for (const RecordSorter* sorter : record_sorters()) {
    if (sorter->name() == name) return sorter;
  }
  return nullptr;
}

}  // namespace spillway
