// DeviceStringSorter::sort_and_mark() of strings in the memory of the host.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sort/gpu/interface/string_sorter.hpp"
#include "sort/sorters.hpp"

namespace spillway::testing {

inline std::size_t host_sort_bytes(std::size_t strings, const StringSorter& sorter = *find_string_sorter("cpu-msd")) {
  return strings * sizeof(StringRef) + sorter.scratch_bytes(strings);
}

inline void sort_host_strings(const DeviceStrings& strings, const MarkedOrder& out, std::span<std::uint8_t> scratch,
                              const StringSorter& sorter = *find_string_sorter("cpu-msd")) {
  const std::span<StringRef> refs(reinterpret_cast<StringRef*>(scratch.data()), strings.count);
  const std::uint64_t* const offsets = strings.d_offsets;
  for (std::uint32_t i = 0; i < refs.size(); ++i) {
    refs[i] = {strings.d_bytes + offsets[i], static_cast<std::uint32_t>(offsets[i + 1] - offsets[i]), i};
  }
  sorter.sort(refs, {out.d_order, refs.size()}, {}, scratch.subspan(refs.size_bytes()));
  const auto text = [&](std::size_t i) {
    const std::uint64_t begin = offsets[out.d_order[i]], end = offsets[out.d_order[i] + 1];
    return std::string_view(reinterpret_cast<const char*>(strings.d_bytes) + begin, end - begin);
  };
  for (std::size_t i = 0; i < strings.count; ++i) out.d_firsts[i] = i == 0 || text(i - 1) != text(i) ? 1 : 0;
}

}  // namespace spillway::testing
