#include "tools/bench/sorts/string_input.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>

#include "corpora/synthetic/generate_strings.hpp"
#include "sort/sorters.hpp"
#include "tools/cli/signals.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 14;

// Whether `order` has every index once, with strings ascending and equal strings in index order. `seen` is zeroed
// scratch.
bool is_stable_order(std::span<const StringRef> strings, std::span<const std::uint32_t> order,
                     std::span<std::uint32_t> seen) {
  const auto follows = [&](std::uint32_t before, std::uint32_t after) {
    const int compared = strings[before].view().compare(strings[after].view());
    return compared < 0 || (compared == 0 && before < after);
  };
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, order.size(), kGrain), true,
      [&](const tbb::blocked_range<std::size_t>& range, bool good) {
        for (std::size_t i = range.begin(); good && i != range.end(); ++i) {
          good = order[i] < strings.size() && std::atomic_ref(seen[order[i]]).exchange(1) == 0 &&
                 (i == 0 || (order[i - 1] < strings.size() && follows(order[i - 1], order[i])));
        }
        return good;
      },
      [](bool a, bool b) { return a && b; });
}

}  // namespace

StringInput::StringInput(const StringSet& set, std::uint64_t count, unsigned threads, MemoryBudget& budget)
    : making_(budget.reserve(generating_bytes(set, count, threads), "making the strings of the benchmark")),
      bytes_(budget, string_bytes(set, count, threads), "the strings of the benchmark"),
      offsets_(budget, (count + 1) * sizeof(std::uint64_t), "the offsets of the benchmark's strings"),
      strings_(budget, count * sizeof(StringRef), "the benchmark's strings by address"),
      expected_(budget, count * sizeof(std::uint32_t), "the order of the benchmark's strings"),
      result_(budget, expected_.size(), "the result of a sorter") {
  const auto offsets = offsets_.as<std::uint64_t>();
  fill_strings(set, threads, bytes_.span(), offsets);
  const auto strings = strings_.as<StringRef>();
  making_.release();
  for (std::size_t i = 0; i < count; ++i) {
    strings[i] = {bytes_.data() + offsets[i], static_cast<std::uint32_t>(offsets[i + 1] - offsets[i]), 0};
  }
  throw_if_interrupted(received_signal());
  find_order(budget);
}

void StringInput::find_order(MemoryBudget& budget) {
  const std::size_t count = strings().size();
  const auto expected = expected_.as<std::uint32_t>();
  Buffer lcps(budget, expected_.size(), "the common prefixes of the benchmark's strings");
  const StringSorter& sorter = *find_string_sorter("cpu-multikey");
  {
    Buffer scratch(budget, sorter.scratch_bytes(count), "the scratch of a sorter");
    sorter.sort(strings(), expected, lcps.as<std::uint32_t>(), scratch.span());
  }
  throw_if_interrupted(received_signal());
  stats_ = string_set_stats(strings(), expected, lcps.as<std::uint32_t>());
  std::ranges::fill(lcps.as<std::uint32_t>(), 0U);
  if (!is_stable_order(strings(), expected, lcps.as<std::uint32_t>())) {
    throw std::logic_error("the reference sorter does not sort");
  }
}

std::span<const StringRef> StringInput::strings() const {
  return {reinterpret_cast<const StringRef*>(strings_.data()), strings_.size() / sizeof(StringRef)};
}

std::span<const std::uint64_t> StringInput::offsets() const {
  return {reinterpret_cast<const std::uint64_t*>(offsets_.data()), offsets_.size() / sizeof(std::uint64_t)};
}

std::span<const std::uint32_t> StringInput::sorted_order() const {
  return {reinterpret_cast<const std::uint32_t*>(expected_.data()), expected_.size() / sizeof(std::uint32_t)};
}

bool StringInput::is_order(std::span<const std::uint32_t> order) const {
  if (order.size_bytes() != expected_.size()) return false;
  return order.empty() || std::memcmp(order.data(), expected_.data(), expected_.size()) == 0;
}

nlohmann::ordered_json string_set_json(const StringSetStats& stats) {
  return {{"strings", stats.count},
          {"bytes", stats.bytes},
          {"least_bytes", stats.least_bytes},
          {"most_bytes", stats.most_bytes},
          {"distinguishing_bytes", stats.distinguishing_bytes},
          {"mean_tie_bytes", stats.mean_tie_bytes},
          {"max_tie_bytes", stats.max_tie_bytes},
          {"max_lcp_bytes", stats.max_lcp_bytes}};
}

std::string string_set_text(const StringSetStats& stats) {
  const double count = static_cast<double>(std::max<std::uint64_t>(1, stats.count));
  return count_text(stats.count) + " strings, " + bytes_text(stats.bytes) + " (" +
         decimal_text(static_cast<double>(stats.bytes) / count, 1) + " each), distinguished by " +
         decimal_text(static_cast<double>(stats.distinguishing_bytes) / count, 1) + "; ties: mean " +
         decimal_text(stats.mean_tie_bytes, 1) + ", longest " + decimal_text(stats.max_tie_bytes, 1);
}

}  // namespace spillway
