#include "sort/gpu/device/staged_copy.hpp"

#include <algorithm>
#include <stdexcept>

#include "sort/gpu/device/error.hpp"

namespace spillway {

StagedCopy::StagedCopy(std::span<std::uint8_t> memory, const GpuStream& stream)
    : memory_(memory, stream.gpu()),
      stream_(stream),
      buffer_bytes_(memory_.span().size() / 2 / RegisteredMemory::kPageBytes * RegisteredMemory::kPageBytes) {
  if (buffer_bytes_ == 0) throw std::logic_error("a staged copy was given less than two pages");
  for (GpuEvent& event : copied_) event.record(stream_);
}

// Waits, because no copy may be under way when the memory is unpinned.
StagedCopy::~StagedCopy() {
  try {
    stream_.synchronize();
  } catch (const GpuError&) {
    // The caller meets the same error when it waits for the result.
  }
}

std::span<std::uint8_t> StagedCopy::buffer(std::size_t number, std::size_t bytes, std::size_t from) const {
  return memory_.span().subspan(number % 2 * buffer_bytes_, std::min(buffer_bytes_, bytes - from));
}

void StagedCopy::up(void* d_to, std::size_t bytes,
                    const std::function<void(std::span<std::uint8_t>, std::size_t)>& fill) {
  std::size_t number = 0;
  for (std::size_t from = 0; from < bytes; from += buffer_bytes_, ++number) {
    const std::span<std::uint8_t> staged = buffer(number, bytes, from);
    copied_[number % 2].synchronize();
    fill(staged, from);
    copy_to_device(static_cast<std::uint8_t*>(d_to) + from, staged.data(), staged.size(), stream_.handle());
    copied_[number % 2].record(stream_);
  }
}

void StagedCopy::down(const void* d_from, std::size_t bytes,
                      const std::function<void(std::span<const std::uint8_t>, std::size_t)>& take) {
  const auto start = [&](std::size_t number, std::size_t from) {
    const std::span<std::uint8_t> staged = buffer(number, bytes, from);
    copy_to_host(staged.data(), static_cast<const std::uint8_t*>(d_from) + from, staged.size(), stream_.handle());
    copied_[number % 2].record(stream_);
  };
  if (bytes != 0) start(0, 0);
  std::size_t number = 0;
  for (std::size_t from = 0; from < bytes; from += buffer_bytes_, ++number) {
    if (bytes - from > buffer_bytes_) start(number + 1, from + buffer_bytes_);
    copied_[number % 2].synchronize();
    take(buffer(number, bytes, from), from);
  }
}

}  // namespace spillway
