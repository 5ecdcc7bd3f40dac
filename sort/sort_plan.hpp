// Which sorter orders a block's records or strings: pure decisions from sizes, a budget and a sample of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// The chunk-wise inversion by counting sort (design, decision 3). It orders no block-wide records, so it is no
// RecordSorter and not in record_sorters(): the indexing pipeline implements it.
inline constexpr std::string_view kChunkSorterName = "cpu-chunk";

struct SorterChoice {
  std::string name;    // of a sorter, never "auto"
  std::string reason;  // for people: what decided, with figures
  std::string describe() const { return name + ": " + reason; }
};

struct StringSample {
  std::uint64_t sampled = 0;
  double mean_bytes = 0;
  double mean_distinguishing_prefix = 0;  // bytes to read of a sampled string to place it among the others
};

// Looks at a few hundred strings, evenly spread over the set.
StringSample sample_strings(std::span<const StringRef> strings);

// `name`: "auto" or a string sorter's name (UsageError else, listing them). total_bytes: of all strings.
SorterChoice choose_string_sorter(std::string_view name, std::uint64_t count, std::uint64_t total_bytes,
                                  const StringSample& sample);

// What `name` means before there are any strings: for "auto", what will decide. UsageError as above.
SorterChoice string_sorter_policy(std::string_view name);

// The sorter that `--string-sorter auto` stands for: it samples each set and calls the sorter of string_sorters() that
// choose_string_sorter picks. Its scratch_bytes() is the largest of theirs.
const StringSorter& auto_string_sorter();

// `name`: "auto", "cpu-chunk" or a record sorter's name (UsageError else, listing them). `count` records of 8 bytes are
// to be ordered with `memory_bytes` for keys and scratch; BudgetError where a sorter that was named does not fit.
SorterChoice choose_record_sorter(std::string_view name, std::uint64_t count, std::size_t memory_bytes);

}  // namespace spillway
