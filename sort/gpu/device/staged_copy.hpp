// Copies to and from device memory through two pinned buffers: the host fills or reads one while the other is copied.
// Callers produce or consume the data piece by piece, so it need not exist as a whole in host memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sort/gpu/device/memory.hpp"
#include "sort/gpu/device/registered_memory.hpp"

namespace spillway {

class StagedCopy {
 public:
  // Bytes of memory for two buffers of `buffer_bytes`, each rounded up to pages.
  static constexpr std::size_t memory_bytes(std::size_t buffer_bytes) {
    return 2 * round_to_pages(buffer_bytes) + RegisteredMemory::kPageBytes;
  }
  // Pins the caller's memory while this exists. Requires: at least two whole pages in `memory`; `stream`, on which the
  // copies run, outlives this. Throws GpuError.
  StagedCopy(std::span<std::uint8_t> memory, const GpuStream& stream);
  ~StagedCopy();
  StagedCopy(const StagedCopy&) = delete;
  StagedCopy& operator=(const StagedCopy&) = delete;

  // fill(buffer, from) writes bytes [from, from + buffer.size()) of the data; `from` is a multiple of 4096. On return
  // the last copies may still be under way.
  void up(void* d_to, std::size_t bytes, const std::function<void(std::span<std::uint8_t>, std::size_t)>& fill);
  // take(buffer, from) reads bytes [from, from + buffer.size()) that came down. All calls are over on return.
  void down(const void* d_from, std::size_t bytes,
            const std::function<void(std::span<const std::uint8_t>, std::size_t)>& take);

 private:
  static constexpr std::size_t round_to_pages(std::size_t bytes) {
    return (bytes + RegisteredMemory::kPageBytes - 1) / RegisteredMemory::kPageBytes * RegisteredMemory::kPageBytes;
  }
  std::span<std::uint8_t> buffer(std::size_t number, std::size_t bytes, std::size_t from) const;

  RegisteredMemory memory_;
  const GpuStream& stream_;
  std::size_t buffer_bytes_;
  std::array<GpuEvent, 2> copied_;
};

}  // namespace spillway
