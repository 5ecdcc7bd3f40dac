// Copies between host data that are made or used on the way and device memory, through two pinned pieces: one is filled
// or emptied while the other is copied.
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
  // Bytes for pieces of about `piece_bytes`.
  static constexpr std::size_t memory_bytes(std::size_t piece_bytes) {
    return 2 * round_to_pages(piece_bytes) + RegisteredMemory::kPageBytes;
  }
  // The memory is the caller's, is pinned while this exists, and must hold two pages besides what its start lacks to a
  // page's. Copies are on `stream`, which outlives this. Throws GpuError.
  StagedCopy(std::span<std::uint8_t> memory, const GpuStream& stream);
  ~StagedCopy();
  StagedCopy(const StagedCopy&) = delete;
  StagedCopy& operator=(const StagedCopy&) = delete;

  // fill(piece, from) writes bytes [from, from + piece.size()) of what goes up. Pieces begin at multiples of 4096. On
  // return the last copies may still be under way.
  void up(void* d_to, std::size_t bytes, const std::function<void(std::span<std::uint8_t>, std::size_t)>& fill);
  // take(piece, from) uses such bytes that came down. All are taken on return.
  void down(const void* d_from, std::size_t bytes,
            const std::function<void(std::span<const std::uint8_t>, std::size_t)>& take);

 private:
  static constexpr std::size_t round_to_pages(std::size_t bytes) {
    return (bytes + RegisteredMemory::kPageBytes - 1) / RegisteredMemory::kPageBytes * RegisteredMemory::kPageBytes;
  }
  std::span<std::uint8_t> piece(std::size_t number, std::size_t bytes, std::size_t from) const;

  RegisteredMemory memory_;
  const GpuStream& stream_;
  std::size_t piece_bytes_;
  std::array<GpuEvent, 2> copied_;
};

}  // namespace spillway
