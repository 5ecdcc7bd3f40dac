#include "sort/auto_string_sorter.hpp"

#include <algorithm>

#include "sort/sort_plan.hpp"

namespace spillway {

namespace {

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

const StringSorter& auto_string_sorter() {
  static const AutoStringSorter kSorter;
  return kSorter;
}

}  // namespace spillway
