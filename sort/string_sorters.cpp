#include "sort/cpu/msd_sorter.hpp"
#include "sort/cpu/multikey_sorter.hpp"
#include "sort/string_sorter.hpp"

namespace spillway {

const std::vector<const StringSorter*>& string_sorters() {
  static const MsdSorter msd;
  static const MultikeySorter multikey;
  static const std::vector<const StringSorter*> all{&msd, &multikey};
  return all;
}

const StringSorter* find_string_sorter(std::string_view name) {
  for (const StringSorter* sorter : string_sorters()) {
    if (sorter->name() == name) return sorter;
  }
  return nullptr;
}

}  // namespace spillway
