// `gpu-string-radix` on the CPU: the same rounds, keys, segments and steps, with standard algorithms instead of CUB.
#pragma once

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Sequential. The scratch holds offsets; a packed copy of the strings is allocated.
class StringRadixHostForm final : public StringSorter {
 public:
  std::string_view name() const override { return "gpu-string-radix"; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;
};

}  // namespace spillway
