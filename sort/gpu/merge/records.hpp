// Keys with or without a value each, as the merge sorts written here move them: arrays in device memory, and buffers in
// a block's shared memory (on the host, plain memory).
#pragma once

#include <cstdint>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

template <bool kHasValue>
struct Record;
template <>
struct Record<false> {
  std::uint64_t key;
};
template <>
struct Record<true> {
  std::uint64_t key;
  std::uint32_t value;
};

// `values` is not used without values.
template <bool kHasValue>
struct RecordArray {
  std::uint64_t* keys = nullptr;
  std::uint32_t* values = nullptr;

  SPILLWAY_HOST_DEVICE Record<kHasValue> load(std::uint64_t i) const {
    if constexpr (kHasValue) {
      return {keys[i], values[i]};
    } else {
      return {keys[i]};
    }
  }
  SPILLWAY_HOST_DEVICE void store(std::uint64_t i, const Record<kHasValue>& record) const {
    keys[i] = record.key;
    if constexpr (kHasValue) values[i] = record.value;
  }
};

// Records in shared memory, by position. An empty slot follows every kRow records (none if kRow is 0), so that threads
// that walk kRow consecutive positions each use different banks. An odd number of positions a thread does so without
// it.
template <bool kHasValue, unsigned kRow>
struct SharedRecords {
  std::uint64_t* keys = nullptr;
  std::uint32_t* values = nullptr;

  static constexpr SPILLWAY_HOST_DEVICE unsigned slot(unsigned i) {
    if constexpr (kRow == 0) {
      return i;
    } else {
      return i + i / kRow;
    }
  }
  static constexpr unsigned bytes_of(unsigned count) { return slot(count) * (kHasValue ? 12u : 8u); }
  // Requires: memory of bytes_of(count), aligned to 8; count is a multiple of 2 * kRow.
  static SPILLWAY_HOST_DEVICE SharedRecords at(std::uint8_t* memory, unsigned count) {
    auto* const keys = reinterpret_cast<std::uint64_t*>(memory);
    return {keys, reinterpret_cast<std::uint32_t*>(keys + slot(count))};
  }

  SPILLWAY_HOST_DEVICE std::uint64_t key(unsigned i) const { return keys[slot(i)]; }
  SPILLWAY_HOST_DEVICE Record<kHasValue> load(unsigned i) const {
    return RecordArray<kHasValue>{keys, values}.load(slot(i));
  }
  SPILLWAY_HOST_DEVICE void store(unsigned i, const Record<kHasValue>& record) const {
    RecordArray<kHasValue>{keys, values}.store(slot(i), record);
  }
};

}  // namespace spillway
