// `bench sort records`: one set of keys, and the sorters on it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "corpora/synthetic/key_set.hpp"
#include "io/memory/budget.hpp"
#include "sort/interface/record_sorter.hpp"
#include "tools/bench/timed_sort.hpp"

namespace spillway {

// Whether a GPU's times are also taken from host memory and back.
enum class Transfers : std::uint8_t { kMeasured, kLeftOut };
// Whether what the GPU's sorters are compared with (sort/gpu/registry.hpp) is measured in turns with them.
enum class Baselines : std::uint8_t { kLeftOut, kMeasured };

struct SortPlace {
  unsigned threads = 1;
  std::optional<int> gpu;  // set where a sorter needs one
  Transfers transfers = Transfers::kMeasured;
  Baselines baselines = Baselines::kLeftOut;
};

// What a RecordInput and the scratch of its sorters on the CPU take of the budget.
std::uint64_t record_bench_bytes(const std::vector<const RecordSorter*>& sorters, const KeySetOptions& set);

// The keys of a set, what they are when sorted, and room for results. All memory comes from the budget (BudgetError).
class RecordInput {
 public:
  RecordInput(const KeySetOptions& set, unsigned threads, MemoryBudget& budget);

  std::span<const std::uint64_t> keys() const { return view(keys_); }
  std::span<std::uint64_t> result() { return result_.as<std::uint64_t>(); }
  BitRange bits() const { return {0, bits_}; }
  // Order and permutation: whether these are the keys, sorted.
  bool is_sorted_form(std::span<const std::uint64_t> keys) const;

 private:
  static std::span<const std::uint64_t> view(const Buffer& buffer) {
    return {reinterpret_cast<const std::uint64_t*>(buffer.data()), buffer.size() / sizeof(std::uint64_t)};
  }
  unsigned bits_;
  Buffer keys_, expected_, result_;
};

// The sorters on the input, each behind the interface that is timed. They share their scratch; input and budget outlive
// them.
std::vector<std::unique_ptr<TimedSort>> timed_record_sorts(const std::vector<const RecordSorter*>& sorters,
                                                           RecordInput& input, const SortPlace& place,
                                                           MemoryBudget& budget);

}  // namespace spillway
