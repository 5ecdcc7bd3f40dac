// `bench sort records`: the sorters of records on one set of keys or pairs.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "tools/bench/sorts/record_input.hpp"
#include "tools/bench/sorts/timed_sort.hpp"

namespace spillway {

// The budget that a RecordInput and the scratch of its CPU sorters need, in bytes.
std::uint64_t record_bench_bytes(const std::vector<const RecordSorter*>& sorters, const RecordSet& set);

// One TimedSort per sorter, and per baseline if place.baselines asks for them. CPU sorters share one scratch buffer.
// The input and the budget must outlive the result.
std::vector<std::unique_ptr<TimedSort>> timed_record_sorts(const std::vector<const RecordSorter*>& sorters,
                                                           RecordInput& input, const SortPlace& place,
                                                           MemoryBudget& budget);

// {"distribution", "count", "bits", "pairs", "bytes"}: what was sorted, for reports.
nlohmann::ordered_json record_set_json(const RecordSet& set);

}  // namespace spillway
