// All sorters by name: what `--record-sorter` and `--string-sorter` accept. Each list is in the order in which users
// see it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sort/interface/record_sorter.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

// The sorters of the CPU.
const std::vector<const RecordSorter*>& record_sorters();
// Listed on machines without a GPU, too (sort/gpu/interface/record_sorter.hpp).
const std::vector<const RecordSorter*>& gpu_record_sorters();
// Searches both lists; nullptr if no sorter has that name.
const RecordSorter* find_record_sorter(std::string_view name);

// The sorters of the CPU.
const std::vector<const StringSorter*>& string_sorters();
// Listed on machines without a GPU, too (sort/gpu/interface/string_sorter.hpp).
const std::vector<const StringSorter*>& gpu_string_sorters();
// Searches both lists; nullptr if no sorter has that name.
const StringSorter* find_string_sorter(std::string_view name);
// Makes a sorter of gpu_string_sorters() that uses the GPUs with these ids only. Requires: one of them has that name.
std::unique_ptr<StringSorter> make_gpu_string_sorter(std::string_view name, const std::vector<int>& gpus);

}  // namespace spillway
