// CUB's device-wide sorts and scans as plain C++ functions. All are compiled in one .cu file: reading CUB's headers
// takes 6 s a file and GPU architecture, and a single algorithm 1 s more.
//
// As with CUB, a call whose CubScratch has no memory only sets its `bytes` to what the same call needs; any other call
// enqueues the work on the stream. The type of `count` is CUB's offset type. All throw GpuError.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sort/gpu/device/memory.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway {

struct CubScratch {
  void* d_data = nullptr;
  std::size_t bytes = 0;
};

// Like cub::DoubleBuffer: data in buffers[selector], and another buffer of the same size. A sort may flip the selector.
template <typename T>
struct DoubleBuffer {
  T* buffers[2] = {nullptr, nullptr};
  int selector = 0;
  T* current() const { return buffers[selector]; }
};

template <typename Key>
struct PairBuffers {
  DoubleBuffer<Key> keys;
  DoubleBuffer<std::uint32_t> values;
};

// Onesweep radix sort by a range of the keys' bits, 8 bits a pass. Stable, O(count) a pass.
void radix_sort_keys(CubScratch& scratch, DoubleBuffer<std::uint64_t>& keys, std::size_t count, BitRange bits,
                     GpuStreamHandle stream);
// Instantiated for (std::uint64_t, std::size_t), (std::uint64_t, std::uint32_t) and (std::uint32_t, std::uint32_t).
template <typename Key, typename Count>
void radix_sort_pairs(CubScratch& scratch, PairBuffers<Key>& pairs, Count count, BitRange bits, GpuStreamHandle stream);

// Merge sort in place, comparing a range of the keys' bits. Stable, O(count log count).
void merge_sort_keys(CubScratch& scratch, std::uint64_t* d_keys, std::size_t count, BitRange bits,
                     GpuStreamHandle stream);
struct KeyValueArrays {
  std::uint64_t* d_keys = nullptr;
  std::uint32_t* d_values = nullptr;
};
void merge_sort_pairs(CubScratch& scratch, KeyValueArrays pairs, std::size_t count, BitRange bits,
                      GpuStreamHandle stream);

// Replaces each number by the sum of those before it.
void exclusive_sum(CubScratch& scratch, std::uint64_t* d_numbers, std::size_t count, GpuStreamHandle stream);
void exclusive_sum(CubScratch& scratch, std::uint32_t* d_numbers, std::uint32_t count, GpuStreamHandle stream);

}  // namespace spillway
