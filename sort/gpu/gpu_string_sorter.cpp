#include "sort/gpu/gpu_string_sorter.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "sort/cpu/scratch_pieces.hpp"
#include "sort/gpu/first_gpu.hpp"
#include "sort/gpu/gpu_error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

// Copies the strings behind each other to the device, a piece at a time.
class Packer {
 public:
  Packer(std::span<std::uint8_t> piece, std::uint8_t* d_to, const GpuStream& stream)
      : piece_(piece), d_to_(d_to), stream_(stream) {}

  void add(const StringRef& string) {
    for (std::size_t from = 0; from < string.bytes;) {
      const std::size_t bytes = std::min(piece_.size() - used_, string.bytes - from);
      std::memcpy(piece_.data() + used_, string.data + from, bytes);
      used_ += bytes;
      from += bytes;
      if (used_ == piece_.size()) flush();
    }
  }
  void flush() {
    copy_to_device(d_to_, piece_.data(), used_, stream_.handle());
    stream_.synchronize();
    d_to_ += used_;
    used_ = 0;
  }

 private:
  std::span<std::uint8_t> piece_;
  std::size_t used_ = 0;
  std::uint8_t* d_to_;
  const GpuStream& stream_;
};

}  // namespace

std::size_t GpuStringSorter::scratch_bytes(std::size_t count) const {
  return kScratchAlignment + round_to_scratch_alignment((count + 1) * sizeof(std::uint64_t)) + kPieceBytes;
}

void GpuStringSorter::sort(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                           std::span<std::uint32_t> lcps, std::span<std::uint8_t> scratch) const {
  if (strings.size() > 0xFFFFFFFF) throw UsageError("a string sorter orders at most 2^32-1 strings at once");
  if (order.size() != strings.size() || (!lcps.empty() && lcps.size() != strings.size())) {
    throw std::logic_error("a string sorter was given too little room for its result");
  }
  const int gpu = first_usable_gpu();
  const DeviceStringSorter* const sorter = find_device_string_sorter(name());
  if (sorter == nullptr) throw GpuError(std::string(name()) + " is not in this program");
  ScratchPieces pieces(scratch);
  const std::span<std::uint64_t> offsets = pieces.take<std::uint64_t>(strings.size() + 1);
  const std::span<std::uint8_t> piece = pieces.take<std::uint8_t>(kPieceBytes);
  offsets[0] = 0;
  for (std::size_t i = 0; i < strings.size(); ++i) offsets[i + 1] = offsets[i] + strings[i].bytes;
  const std::size_t total_bytes = offsets.back();

  const GpuStream stream(gpu);
  const DeviceBuffer d_bytes(gpu, device_aligned(total_bytes + 16)), d_offsets(gpu, offsets.size_bytes());
  const DeviceBuffer d_order(gpu, order.size_bytes()), d_lcps(gpu, lcps.size_bytes());
  const DeviceBuffer d_scratch(gpu, sorter->scratch_bytes(strings.size(), total_bytes));
  copy_to_device(d_offsets.data(), offsets.data(), offsets.size_bytes(), stream.handle());
  Packer packer(piece, d_bytes.data(), stream);
  for (const StringRef& string : strings) packer.add(string);
  packer.flush();
  sorter->sort({d_bytes.data(), reinterpret_cast<const std::uint64_t*>(d_offsets.data()), strings.size(), total_bytes},
               reinterpret_cast<std::uint32_t*>(d_order.data()), reinterpret_cast<std::uint32_t*>(d_lcps.data()),
               d_scratch.data(), stream.handle());
  copy_to_host(order.data(), d_order.data(), order.size_bytes(), stream.handle());
  copy_to_host(lcps.data(), d_lcps.data(), lcps.size_bytes(), stream.handle());
  stream.synchronize();
}

}  // namespace spillway
