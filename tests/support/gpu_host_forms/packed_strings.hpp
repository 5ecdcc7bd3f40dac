// Strings back to back in host memory, laid out as DeviceStrings for the host forms.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

class PackedHostStrings {
 public:
  // Requires: offsets.size() is strings.size() + 1, and `offsets` outlives this.
  PackedHostStrings(std::span<const StringRef> strings, std::span<std::uint64_t> offsets) {
    offsets[0] = 0;
    for (std::size_t i = 0; i < strings.size(); ++i) offsets[i + 1] = offsets[i] + strings[i].bytes;
    bytes_.resize((offsets.back() + 15) / 16 * 16);
    for (std::size_t i = 0; i < strings.size(); ++i) {
      if (strings[i].bytes > 0) std::memcpy(bytes_.data() + offsets[i], strings[i].data, strings[i].bytes);
    }
    strings_ = {bytes_.data(), offsets.data(), strings.size(), offsets.back()};
  }
  const DeviceStrings& strings() const { return strings_; }

 private:
  std::vector<std::uint8_t> bytes_;
  DeviceStrings strings_;
};

}  // namespace spillway
