#include "sort/gpu/host/string_sorter.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sort/cpu/string_items.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/sort_lanes.hpp"
#include "sort/gpu/device/staged_copy.hpp"
#include "sort/gpu/host/string_packer.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/interface/scratch.hpp"

namespace spillway {

namespace {

// A copy of 8 MiB takes 150 us, several times the start of a parallel loop and a copy. Small sorts take smaller
// buffers.
constexpr std::size_t kMinBufferBytes = std::size_t{64} << 10, kMaxBufferBytes = std::size_t{8} << 20;
constexpr std::size_t kCopyBytes = std::size_t{256} << 10;  // of one task

std::size_t buffer_bytes(std::size_t count) { return std::clamp(count * 32, kMinBufferBytes, kMaxBufferBytes); }

// Device memory of one sort: strings, results and the sorter's scratch.
struct SortArrays {
  std::uint8_t* d_bytes;
  std::uint64_t* d_offsets;
  std::uint32_t *d_order, *d_lcps;  // d_lcps: null without LCPs
  std::uint8_t* d_scratch;
};

// DeviceStrings requires readable bytes up to a multiple of 16 after the last string.
constexpr std::array<std::uint8_t, 16> kPadding{};

SortArrays lay_out(DeviceArena& arena, const DeviceStringSorter& sorter, std::size_t count, std::size_t total_bytes,
                   std::size_t lcp_count) {
  return {arena.take_bytes(total_bytes + kPadding.size()), arena.take<std::uint64_t>(count + 1),
          arena.take<std::uint32_t>(count), lcp_count == 0 ? nullptr : arena.take<std::uint32_t>(lcp_count),
          arena.take_bytes(sorter.scratch_bytes(count, total_bytes))};
}

void copy_in_parallel(std::uint8_t* to, std::span<const std::uint8_t> from) {
  tbb::parallel_for(std::size_t{0}, (from.size() + kCopyBytes - 1) / kCopyBytes, [&](std::size_t task) {
    const std::size_t begin = task * kCopyBytes, bytes = std::min(kCopyBytes, from.size() - begin);
    std::memcpy(to + begin, from.data() + begin, bytes);
  });
}

void bring_down(StagedCopy& copy, std::span<std::uint32_t> to, const std::uint32_t* d_from) {
  copy.down(d_from, to.size_bytes(), [&](std::span<const std::uint8_t> staged, std::size_t from) {
    copy_in_parallel(reinterpret_cast<std::uint8_t*>(to.data()) + from, staged);
  });
}

void bring_up(StagedCopy& copy, const StringPacker& packer, const SortArrays& arrays, std::size_t count) {
  copy.up(arrays.d_offsets, (count + 1) * sizeof(std::uint64_t), [&](std::span<std::uint8_t> staged, std::size_t from) {
    const std::span<std::uint64_t> offsets(reinterpret_cast<std::uint64_t*>(staged.data()),
                                           staged.size() / sizeof(std::uint64_t));
    packer.write_offsets(offsets, from / sizeof(std::uint64_t));
  });
  copy.up(arrays.d_bytes, packer.total_bytes(),
          [&](std::span<std::uint8_t> staged, std::size_t from) { packer.write_bytes(staged, from); });
}

}  // namespace

std::size_t GpuStringSorter::scratch_bytes(std::size_t count) const {
  return kScratchAlignment + round_to_scratch_alignment(StringPacker::sum_count(count) * sizeof(std::uint64_t)) +
         round_to_scratch_alignment(StagedCopy::memory_bytes(buffer_bytes(count)));
}

void GpuStringSorter::sort(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                           std::span<std::uint32_t> lcps, std::span<std::uint8_t> scratch) const {
  check_string_spans(strings, order, lcps);
  const DeviceStringSorter* const sorter = find_device_string_sorter(name());
  if (sorter == nullptr) throw GpuError(std::string(name()) + " is not in this program");
  ScratchArrays host_arrays(scratch);
  const StringPacker packer(strings, host_arrays.take<std::uint64_t>(StringPacker::sum_count(strings.size())));
  const auto memory = host_arrays.take<std::uint8_t>(StagedCopy::memory_bytes(buffer_bytes(strings.size())));

  const std::size_t count = strings.size(), total_bytes = packer.total_bytes();
  GpuSortLanes::Turn turn = gpu_sort_lanes().take(gpus_);
  const GpuStream& stream = turn.stream();
  stream.make_current();
  DeviceArena layout = DeviceArena::for_counting();
  lay_out(layout, *sorter, count, total_bytes, lcps.size());
  DeviceArena arena(turn.memory(layout.used_bytes()));
  const SortArrays arrays = lay_out(arena, *sorter, count, total_bytes, lcps.size());
  StagedCopy copy(memory, stream);
  bring_up(copy, packer, arrays, count);
  copy_to_device(arrays.d_bytes + total_bytes, kPadding.data(), kPadding.size(), stream.handle());
  stream.make_current();  // while the strings were packed, this thread may have sorted others on another GPU
  sorter->sort({arrays.d_bytes, arrays.d_offsets, count, total_bytes}, arrays.d_order, arrays.d_lcps, arrays.d_scratch,
               stream.handle());
  bring_down(copy, order, arrays.d_order);
  if (!lcps.empty()) bring_down(copy, lcps, arrays.d_lcps);
  stream.synchronize();
  turn.done();
}

}  // namespace spillway
