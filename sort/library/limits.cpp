#include "sort/library/limits.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "io/base/error.hpp"
#include "io/memory/budget.hpp"
#include "io/memory/limits.hpp"
#include "sort/library/packed_strings.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostStringBytes = std::size_t{1} << 30;  // of a line
constexpr std::size_t kMemoryOfThread = std::size_t{8} << 20;
constexpr std::size_t kLeastBlockMemory = std::size_t{4} << 20;  // of kLeastSortMemory, for any number of threads
// The sort of lines leaves so much of its memory for a few long strings: a part of the program's share, and a part of
// each text on its way out.
constexpr std::size_t kSpareBytes = std::size_t{8} << 20, kSpareOfText = std::size_t{512} << 10;

// Copies of the longest string on its way to the sort and back.
constexpr std::size_t kCopiesOnTheWay = 8;

// Whether strings have keys for the sort of lines; otherwise it compares them, with their values, as they stand.
bool has_keys(const ExternalSortOptions& options) { return options.is_stable || options.is_unique; }

// The longest strings that are held at once while runs are written and merged, by encoders, compressors, cursors and
// slices that wait. The factors are measured: with fewer strings the peak of memory was above the plan, for 1 to 16
// threads and strings of 0.5 to 4 MiB. With keys, all of these hold the key as well.
std::size_t long_string_memory(const ExternalSortOptions& options, std::size_t threads) {
  const std::size_t bytes = (8 * threads + 12) * (has_keys(options) ? 2 : 1) * options.most_string_bytes;
  return bytes - std::min(bytes, kSpareBytes + (2 * threads + 2) * kSpareOfText);
}

// The longest string, and its key, must fit the block.
std::size_t least_memory(const ExternalSortOptions& options, std::size_t threads) {
  const std::size_t in_block = (has_keys(options) ? 4 : 2) * options.most_string_bytes;
  return std::max(kLeastSortMemory, threads * kMemoryOfThread) + long_string_memory(options, threads) + in_block -
         std::min(in_block, kLeastBlockMemory);
}

std::size_t plan_threads(const ExternalSortOptions& options, std::size_t memory_bytes) {
  const std::size_t wanted = options.threads == 0 ? usable_threads() : options.threads;
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  std::size_t threads = std::min(wanted, allowed);
  while (threads > 1 && least_memory(options, threads) > memory_bytes) --threads;
  if (const std::size_t least = least_memory(options, threads); least > memory_bytes) {
    throw BudgetError("sorting strings of up to " + std::to_string(options.most_string_bytes) + " bytes needs " +
                      std::to_string(least) + " bytes of memory, and memory_bytes is " + std::to_string(memory_bytes) +
                      ": raise it, or lower most_string_bytes");
  }
  return threads;
}

LineOrder plan_order(const ExternalSortOptions& options) {
  LineOrder order;
  order.format = LineFormat(static_cast<char>(kPackedEnd));
  order.is_unique = options.is_unique;
  order.is_stable = options.is_stable;
  if (has_keys(options)) {
    LineKey key;
    key.place.begin_field = key.place.end_field = 0;
    key.rule.is_reversed = options.is_descending;
    order.keys = {key};
    order.field_separator = static_cast<char>(kPackedValue);
  } else {
    order.is_reversed = options.is_descending;
  }
  return order;
}

std::vector<std::string> temp_directories(const ExternalSortOptions& options) {
  if (!options.temp_directories.empty()) return options.temp_directories;
  const char* const directory = std::getenv("TMPDIR");
  return {directory != nullptr && *directory != '\0' ? directory : "/tmp"};
}

}  // namespace

ExternalSortPlan plan_external_sort(const ExternalSortOptions& options) {
  if (options.most_string_bytes > kMostStringBytes) {
    throw UsageError("most_string_bytes is " + std::to_string(options.most_string_bytes) + ": at most " +
                     std::to_string(kMostStringBytes) + " are possible");
  }
  ExternalSortPlan plan;
  const std::size_t memory = options.memory_bytes == 0 ? available_memory_bytes() / 2 : options.memory_bytes;
  plan.threads = plan_threads(options, memory);
  plan.order = plan_order(options);
  // The engine knows what its own copies of long strings take.
  const std::size_t handed_over = kCopiesOnTheWay * (has_keys(options) ? 2 : 1) * options.most_string_bytes;
  plan.engine.memory_bytes = memory - std::min(long_string_memory(options, plan.threads), handed_over);
  plan.engine.temp_directories = temp_directories(options);
  plan.engine.temp_limit_bytes = options.temp_limit_bytes;
  if (options.sorter != "auto") {
    static_cast<void>(choose_string_sorter(options.sorter, 0, 0, {}));  // refuses unknown names
    plan.engine.sorter = find_string_sorter(options.sorter);
  }
  return plan;
}

}  // namespace spillway
