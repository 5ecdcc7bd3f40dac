#include "sort/gpu/interface/cub.hpp"
#include "sort/gpu/interface/key_order.hpp"
#include "sort/gpu/radix/sorter.hpp"

namespace spillway {

namespace {

std::size_t own_bytes(std::size_t count, BitRange bits) {
  CubScratch own;
  DoubleBuffer<std::uint64_t> keys;
  radix_sort_keys(own, keys, count, bits, nullptr);
  return own.bytes;
}

std::size_t own_bytes_of_pairs(std::size_t count, BitRange bits) {
  CubScratch own;
  PairBuffers<std::uint64_t> pairs;
  radix_sort_pairs(own, pairs, count, bits, nullptr);
  return own.bytes;
}

// Sorts with a second copy of the keys at the front of the scratch, and CUB's scratch after it.
std::uint64_t* sort_keys(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                         GpuStreamHandle stream) {
  DoubleBuffer<std::uint64_t> keys{{d_keys, reinterpret_cast<std::uint64_t*>(d_scratch)}};
  CubScratch own{d_scratch + keys_bytes(count), own_bytes(count, bits)};
  radix_sort_keys(own, keys, count, bits, stream);
  return keys.current();
}

class CubRadixBaseline final : public DeviceRecordSorter {
 public:
  std::string_view name() const override { return "cub-radix"; }
  bool stable() const override { return true; }
  std::size_t scratch_bytes(std::size_t count, BitRange bits) const override {
    return keys_bytes(count) + device_aligned(own_bytes(count, bits));
  }
  std::uint64_t* sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                      GpuStreamHandle stream) const override {
    return sort_keys(d_keys, count, bits, d_scratch, stream);
  }
};

}  // namespace

std::size_t GpuRadixSorter::scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : keys_bytes(count) + device_aligned(own_bytes(count, bits));
}

std::uint64_t* GpuRadixSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                                    GpuStreamHandle stream) const {
  return is_sorted_already(count, bits) ? d_keys : sort_keys(d_keys, count, bits, d_scratch, stream);
}

std::size_t GpuRadixSorter::pairs_scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : pairs_bytes(count) + device_aligned(own_bytes_of_pairs(count, bits));
}

DeviceRecordSorter::Pairs GpuRadixSorter::sort_pairs(Pairs pairs, std::size_t count, BitRange bits,
                                                     std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return pairs;
  DeviceArena scratch(d_scratch, pairs_scratch_bytes(count, bits));
  PairBuffers<std::uint64_t> buffers{{{pairs.d_keys, scratch.take<std::uint64_t>(count)}},
                                     {{pairs.d_values, scratch.take<std::uint32_t>(count)}}};
  CubScratch own{nullptr, own_bytes_of_pairs(count, bits)};
  own.d_data = scratch.take_bytes(own.bytes);
  radix_sort_pairs(own, buffers, count, bits, stream);
  return {buffers.keys.current(), buffers.values.current()};
}

const DeviceRecordSorter& cub_radix_baseline() {
  static const CubRadixBaseline baseline;
  return baseline;
}

}  // namespace spillway
