#include "sort/lines/gpu/fallback_sorter.hpp"

#include <algorithm>
#include <utility>

#include "sort/gpu/device/error.hpp"
#include "sort/sort_plan.hpp"

namespace spillway {

FallbackStringSorter::FallbackStringSorter(const StringSorter& on_gpu, std::function<void(const std::string&)> note)
    : on_gpu_(on_gpu), on_cpu_(auto_string_sorter()), note_(std::move(note)) {}

std::size_t FallbackStringSorter::scratch_bytes(std::size_t count) const {
  return std::max(on_gpu_.scratch_bytes(count), on_cpu_.scratch_bytes(count));
}

void FallbackStringSorter::sort(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                                std::span<std::uint32_t> lcps, std::span<std::uint8_t> scratch) const {
  try {
    return on_gpu_.sort(strings, order, lcps, scratch);
  } catch (const GpuError& error) {
    note_(error.what());
  }
  on_cpu_.sort(strings, order, lcps, scratch);
}

}  // namespace spillway
