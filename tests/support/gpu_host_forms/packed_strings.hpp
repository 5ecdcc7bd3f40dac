// Strings behind each other in host memory, as sorters find them on the device: what host forms work on.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

class PackedHostStrings {
 public:
  // `offsets`: room for one more than there are strings, which outlives this.
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
