// gpu-string-radix on the CPU, for tests without a GPU: the same rounds, keys, segments and steps, with standard
// algorithms where the device calls CUB.
#pragma once

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Sequential. Scratch: offsets; takes memory of its own for a packed copy of the strings.
class StringRadixHostForm final : public StringSorter {
 public:
  std::string_view name() const override { return "gpu-string-radix"; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;
};

}  // namespace spillway
