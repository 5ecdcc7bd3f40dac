// Loads and stores little-endian integers of fixed width at any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace spillway {

static_assert(std::endian::native == std::endian::little, "Spillway's formats are little-endian; so are its machines");

template <typename T>
requires std::is_integral_v<T> T load_le(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
requires std::is_integral_v<T>
void store_le(void* to, T value) { std::memcpy(to, &value, sizeof value); }

}  // namespace spillway
