// A string sorter of the GPU that lets the CPU finish what the GPU could not.
#pragma once

#include <functional>
#include <string>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Thread-safe if `note` is. The sorter on the GPU, and `note`, outlive it.
class FallbackStringSorter final : public StringSorter {
 public:
  // note(message): the GPU failed, and the CPU sorts instead.
  FallbackStringSorter(const StringSorter& on_gpu, std::function<void(const std::string&)> note);
  std::string_view name() const override { return on_gpu_.name(); }
  bool needs_gpu() const override { return true; }
  std::size_t scratch_bytes(std::size_t count) const override;
  void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
            std::span<std::uint8_t> scratch) const override;

 private:
  const StringSorter& on_gpu_;
  const StringSorter& on_cpu_;
  std::function<void(const std::string&)> note_;
};

}  // namespace spillway
