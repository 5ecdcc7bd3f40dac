#include "sort/sort_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "sort/sorters.hpp"

namespace spillway {

namespace {

constexpr std::size_t kSampleStrings = 512;

// From this mean distinguishing prefix of a sample on, multikey quicksort beats radix sort. Measured on one Xeon core,
// in million strings a second: file paths (61 bytes) 6.8 against 4.0, URLs (34) 7.0 against 7.6, words (2 to 4) 9
// against 17.
constexpr double kLongPrefixBytes = 40;

std::string fixed(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

template <typename Sorters>
std::string unknown(std::string_view what, std::string_view name, const Sorters& sorters, std::string known) {
  for (const auto* sorter : sorters) known += ", " + std::string(sorter->name());
  return "there is no " + std::string(what) + " sorter '" + printable(name) + "': choose one of " + known;
}

class AutoStringSorter final : public StringSorter {
 public:
  std::string_view name() const override { return "auto"; }

  std::size_t scratch_bytes(std::size_t count) const override {
    std::size_t bytes = 0;
    for (const StringSorter* sorter : string_sorters()) bytes = std::max(bytes, sorter->scratch_bytes(count));
    return bytes;
  }

  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override {
    const StringSample sample = sample_strings(strings);
    const auto bytes = static_cast<std::uint64_t>(sample.mean_bytes * static_cast<double>(strings.size()));
    const SorterChoice choice = choose_string_sorter("auto", strings.size(), bytes, sample);
    find_string_sorter(choice.name)->sort(strings, order, lcps, scratch);
  }
};

}  // namespace

StringSample sample_strings(std::span<const StringRef> strings) {
  const std::size_t count = std::min(strings.size(), kSampleStrings);
  if (count == 0) return {};
  std::array<std::string_view, kSampleStrings> sample;
  StringSample result;
  result.sampled = count;
  for (std::size_t i = 0; i < count; ++i) {
    sample[i] = strings[strings.size() / count * i].view();
    result.mean_bytes += static_cast<double>(sample[i].size()) / static_cast<double>(count);
  }
  std::sort(sample.begin(), sample.begin() + count);
  const auto shared = [&](std::size_t i) { return i == 0 || i == count ? 0 : shared_bytes(sample[i - 1], sample[i]); };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t prefix = std::min(std::max(shared(i), shared(i + 1)) + 1, sample[i].size());
    result.mean_distinguishing_prefix += static_cast<double>(prefix) / static_cast<double>(count);
  }
  return result;
}

SorterChoice choose_string_sorter(std::string_view name, std::uint64_t count, std::uint64_t total_bytes,
                                  const StringSample& sample) {
  if (name != "auto") {
    if (find_string_sorter(name) == nullptr) throw UsageError(unknown("string", name, string_sorters(), "auto"));
    return {std::string(name), "asked for by name"};
  }
  const std::string stats = std::to_string(count) + " strings of " + std::to_string(total_bytes) +
                            " bytes, told apart in a sample of " + std::to_string(sample.sampled) + " by " +
                            fixed(sample.mean_distinguishing_prefix) + " of " + fixed(sample.mean_bytes) + " bytes";
  if (sample.mean_distinguishing_prefix >= kLongPrefixBytes) {
    return {"cpu-multikey", stats + ": long common prefixes, where caching multikey quicksort is the fastest"};
  }
  return {"cpu-msd", stats + ": short prefixes, where radix sort is the fastest"};
}

SorterChoice string_sorter_policy(std::string_view name) {
  if (name != "auto") return choose_string_sorter(name, 0, 0, {});
  StringSample long_prefixes;
  long_prefixes.mean_distinguishing_prefix = kLongPrefixBytes;
  return {"auto", "a sample of each set decides: " + choose_string_sorter(name, 0, 0, long_prefixes).name + " where " +
                      fixed(kLongPrefixBytes) + " bytes or more tell its strings apart, else " +
                      choose_string_sorter(name, 0, 0, {}).name};
}

const StringSorter& auto_string_sorter() {
  static const AutoStringSorter kSorter;
  return kSorter;
}

SorterChoice choose_record_sorter(std::string_view name, std::uint64_t count, std::size_t memory_bytes) {
  if (name == "auto" || name == kChunkSorterName) {
    return {std::string(kChunkSorterName),
            name == "auto" ? "on the CPU, inverting each chunk while it is in cache beats sorting a block's " +
                                 std::to_string(count) + " records"
                           : "asked for by name"};
  }
  const RecordSorter* const sorter = find_record_sorter(name);
  if (sorter == nullptr) {
    throw UsageError(unknown("record", name, record_sorters(), "auto, " + std::string(kChunkSorterName)));
  }
  const std::uint64_t needed = count * sizeof(std::uint64_t) + sorter->scratch_bytes(count, {});
  if (needed > memory_bytes) {
    throw BudgetError("record sorter " + std::string(name) + " needs " + std::to_string(needed) + " bytes for " +
                      std::to_string(count) + " records, and has " + std::to_string(memory_bytes) +
                      ": raise --memory or let blocks be smaller");
  }
  return {std::string(name),
          "asked for by name; " + std::to_string(needed) + " of " + std::to_string(memory_bytes) + " bytes"};
}

}  // namespace spillway
