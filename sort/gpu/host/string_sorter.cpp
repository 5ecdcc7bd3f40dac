#include "sort/gpu/host/string_sorter.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

#include "sort/cpu/string_items.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/first_gpu.hpp"
#include "sort/gpu/device/staged_copy.hpp"
#include "sort/gpu/host/packed_string_sort.hpp"
#include "sort/gpu/host/string_packer.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/interface/scratch_pieces.hpp"

namespace spillway {

namespace {

// A copy of 8 MiB takes 150 us, several times the start of a parallel loop and a copy. Small sorts take smaller
// buffers.
constexpr std::size_t kMinBufferBytes = std::size_t{64} << 10, kMaxBufferBytes = std::size_t{8} << 20;
constexpr std::size_t kCopyBytes = std::size_t{256} << 10;  // of one task

std::size_t buffer_bytes(std::size_t count) { return std::clamp(count * 32, kMinBufferBytes, kMaxBufferBytes); }

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

void bring_up(StagedCopy& copy, const StringPacker& packer, const StringSortSpace& space) {
  copy.up(space.d_offsets, (space.count + 1) * sizeof(std::uint64_t),
          [&](std::span<std::uint8_t> staged, std::size_t from) {
            const std::span<std::uint64_t> offsets(reinterpret_cast<std::uint64_t*>(staged.data()),
                                                   staged.size() / sizeof(std::uint64_t));
            packer.write_offsets(offsets, from / sizeof(std::uint64_t));
          });
  copy.up(space.d_bytes, space.total_bytes,
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
  const int gpu = first_usable_gpu();
  const DeviceStringSorter* const sorter = find_device_string_sorter(name());
  if (sorter == nullptr) throw GpuError(std::string(name()) + " is not in this program");
  ScratchPieces pieces(scratch);
  const StringPacker packer(strings, pieces.take<std::uint64_t>(StringPacker::sum_count(strings.size())));
  const auto memory = pieces.take<std::uint8_t>(StagedCopy::memory_bytes(buffer_bytes(strings.size())));

  const auto wanted = lcps.empty() ? StringSortSpace::Lcps::kNone : StringSortSpace::Lcps::kWanted;
  const GpuStream stream(gpu);
  stream.make_current();
  const DeviceBuffer buffer(gpu, StringSortSpace::bytes(*sorter, strings.size(), packer.total_bytes(), wanted));
  DeviceArena arena(buffer);
  const StringSortSpace space(arena, *sorter, strings.size(), packer.total_bytes(), wanted);
  StagedCopy copy(memory, stream);
  bring_up(copy, packer, space);
  space.sort(*sorter, stream.handle());
  bring_down(copy, order, space.d_order);
  if (!lcps.empty()) bring_down(copy, lcps, space.d_lcps);
}

}  // namespace spillway
