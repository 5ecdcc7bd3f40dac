#include "sort/gpu/host/packed_string_sort.hpp"

#include <array>
#include <stdexcept>

namespace spillway {

namespace {

constexpr std::size_t kPaddingBytes = 16;  // DeviceStrings requires readable bytes up to a multiple of 16

}  // namespace

std::size_t StringSortSpace::bytes(const DeviceStringSorter& sorter, std::size_t count, std::size_t total_bytes,
                                   Lcps lcps) {
  const std::size_t result = device_aligned(count * sizeof(std::uint32_t));
  return device_aligned(total_bytes + kPaddingBytes) + device_aligned((count + 1) * sizeof(std::uint64_t)) + result +
         (lcps == Lcps::kWanted ? result : 0) + device_aligned(sorter.scratch_bytes(count, total_bytes));
}

StringSortSpace::StringSortSpace(DeviceArena& arena, const DeviceStringSorter& sorter, std::size_t string_count,
                                 std::size_t string_bytes, Lcps lcps)
    : d_bytes(arena.take_bytes(string_bytes + kPaddingBytes)),
      d_offsets(arena.take<std::uint64_t>(string_count + 1)),
      d_order(arena.take<std::uint32_t>(string_count)),
      d_lcps(lcps == Lcps::kWanted ? arena.take<std::uint32_t>(string_count) : nullptr),
      d_scratch(arena.take_bytes(sorter.scratch_bytes(string_count, string_bytes))),
      count(string_count),
      total_bytes(string_bytes) {}

void StringSortSpace::sort(const DeviceStringSorter& sorter, GpuStreamHandle stream) const {
  static constexpr std::array<std::uint8_t, kPaddingBytes> kZeros{};
  copy_to_device(d_bytes + total_bytes, kZeros.data(), kZeros.size(), stream);
  sorter.sort(strings(), d_order, d_lcps, d_scratch, stream);
}

void sort_packed_strings(const DeviceStringSorter& sorter, const HostStrings& strings, std::span<std::uint32_t> order,
                         std::span<std::uint32_t> lcps, DeviceArena& arena, const GpuStream& stream) {
  if (order.size() != strings.count() || (!lcps.empty() && lcps.size() != order.size())) {
    throw std::logic_error("a string sorter was given too little room for its result");
  }
  const auto wanted = lcps.empty() ? StringSortSpace::Lcps::kNone : StringSortSpace::Lcps::kWanted;
  const std::size_t mark = arena.used_bytes();
  const StringSortSpace space(arena, sorter, strings.count(), strings.bytes.size(), wanted);
  copy_to_device(space.d_offsets, strings.offsets.data(), strings.offsets.size_bytes(), stream.handle());
  copy_to_device(space.d_bytes, strings.bytes.data(), strings.bytes.size(), stream.handle());
  space.sort(sorter, stream.handle());
  copy_to_host(order.data(), space.d_order, order.size_bytes(), stream.handle());
  copy_to_host(lcps.data(), space.d_lcps, lcps.size_bytes(), stream.handle());
  arena.release(mark);
}

}  // namespace spillway
