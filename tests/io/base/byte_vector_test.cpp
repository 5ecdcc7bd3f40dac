#include "io/base/byte_vector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace spillway {
namespace {

TEST(ByteVector, KeepsItsBytesBesideLargePagesAndInThem) {
  constexpr std::size_t kMapped = UninitializedAllocator<std::uint8_t>::kLeastMapped;
  constexpr std::size_t kLeast = std::min(kMapped, std::size_t{4} << 20);
  ByteVector bytes;
  for (const std::size_t size : {std::size_t{1}, kLeast - 1, kLeast, kLeast + 1, 3 * kLeast + 4097, std::size_t{5}}) {
    const std::size_t before = std::min(bytes.size(), size);
    bytes.resize(size);
    for (std::size_t i = 0; i < before; ++i) ASSERT_EQ(bytes[i], i % 251);
    for (std::size_t i = before; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i % 251);
    bytes.shrink_to_fit();
    if (size >= kMapped) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 4096, 0U);
    }
    const ByteVector copy = bytes;
    EXPECT_EQ(copy, bytes);
  }
}

TEST(ByteVector, CountsElementsInBytes) {
  std::vector<std::uint32_t, UninitializedAllocator<std::uint32_t>> numbers(3 << 20);
  std::iota(numbers.begin(), numbers.end(), 0U);
  numbers.resize(std::size_t{5} << 20);
  EXPECT_EQ(numbers[(3U << 20) - 1], (3U << 20) - 1);
}

TEST(ByteVector, ThrowsWhereTheSystemHasNoMemory) {
  if (UninitializedAllocator<std::uint8_t>::kLeastMapped == ~std::size_t{0}) return;  // a sanitizer ends the process
  ByteVector bytes;
  EXPECT_THROW(bytes.reserve(std::size_t{1} << 50), std::bad_alloc);
}

}  // namespace
}  // namespace spillway
