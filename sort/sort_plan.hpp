// Decides which sorter orders a block's records or strings: pure functions of sizes, a budget and a sample of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Inverts each chunk by a counting sort. It never orders the records of a whole block, so it is not a RecordSorter: the
// indexing pipeline implements it (indexer/block/chunk_sorter.hpp).
inline constexpr std::string_view kChunkSorterName = "cpu-chunk";

struct SorterChoice {
  std::string name;    // of a sorter, never "auto"
  std::string reason;  // for people, with the figures that decided
  std::string describe() const { return name + ": " + reason; }
};

struct StringSample {
  std::uint64_t sampled = 0;
  double mean_bytes = 0;
  double mean_distinguishing_prefix = 0;  // bytes that tell a sampled string from the others
};

// Samples 512 strings, evenly spread over the set.
StringSample sample_strings(std::span<const StringRef> strings);

// `name`: "auto" or the name of a string sorter; throws UsageError listing them otherwise.
SorterChoice choose_string_sorter(std::string_view name, std::uint64_t count, std::uint64_t total_bytes,
                                  const StringSample& sample);

// The choice before there are strings; for "auto" the reason says how each set will be decided. UsageError as above.
SorterChoice string_sorter_policy(std::string_view name);

// The sorter that `--string-sorter auto` stands for: it samples each set and calls the sorter of string_sorters() that
// choose_string_sorter picks. Its scratch_bytes() is the largest of theirs.
const StringSorter& auto_string_sorter();

// `name`: "auto", "cpu-chunk" or the name of a record sorter; throws UsageError listing them otherwise. The sort has
// `memory_bytes` for `count` keys of 8 bytes and scratch; throws BudgetError if a sorter that was named does not fit.
SorterChoice choose_record_sorter(std::string_view name, std::uint64_t count, std::size_t memory_bytes);

}  // namespace spillway
