#include "sort/gpu/host/string_packer.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

namespace spillway {

StringPacker::StringPacker(std::span<const StringRef> strings, std::span<std::uint64_t> sums)
    : strings_(strings), sums_(sums) {
  tbb::parallel_for(std::size_t{0}, sums_.size() - 1, [&](std::size_t number) {
    std::uint64_t bytes = 0;
    for (const StringRef& string : group(number)) bytes += string.bytes;
    sums_[number + 1] = bytes;
  });
  sums_[0] = 0;
  for (std::size_t number = 1; number < sums_.size(); ++number) sums_[number] += sums_[number - 1];
}

std::span<const StringRef> StringPacker::group(std::size_t number) const {
  return strings_.subspan(number * kGroup, std::min(kGroup, strings_.size() - number * kGroup));
}

void StringPacker::write_bytes(std::span<std::uint8_t> to, std::uint64_t from) const {
  const std::uint64_t to_end = from + to.size();
  const auto first = static_cast<std::size_t>(std::upper_bound(sums_.begin(), sums_.end(), from) - sums_.begin()) - 1;
  const auto last = static_cast<std::size_t>(std::lower_bound(sums_.begin(), sums_.end(), to_end) - sums_.begin());
  tbb::parallel_for(first, std::min(last, sums_.size() - 1), [&](std::size_t number) {
    std::uint64_t at = sums_[number];
    for (const StringRef& string : group(number)) {
      const std::uint64_t begin = std::max(at, from), end = std::min(at + string.bytes, to_end);
      if (begin < end) std::memcpy(to.data() + (begin - from), string.data + (begin - at), end - begin);
      at += string.bytes;
    }
  });
}

void StringPacker::write_offsets(std::span<std::uint64_t> to, std::size_t from) const {
  const std::size_t to_end = from + to.size();
  if (to_end == strings_.size() + 1) to.back() = total_bytes();
  const std::size_t last = (std::min(to_end, strings_.size()) + kGroup - 1) / kGroup;
  tbb::parallel_for(from / kGroup, std::max(last, from / kGroup), [&](std::size_t number) {
    std::uint64_t at = sums_[number];
    std::size_t i = number * kGroup;
    for (const StringRef& string : group(number)) {
      if (i >= from && i < to_end) to[i - from] = at;
      at += string.bytes;
      ++i;
    }
  });
}

}  // namespace spillway
