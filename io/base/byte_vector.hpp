// A vector of bytes that resize() leaves as they are, for bytes that are written right afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace spillway {

template <typename T>
struct UninitializedAllocator : std::allocator<T> {
  template <typename Other>
  struct rebind {
    using other = UninitializedAllocator<Other>;
  };
  template <typename Other>
  void construct(Other* at) noexcept {
    ::new (static_cast<void*>(at)) Other;
  }
  template <typename Other, typename... Arguments>
  void construct(Other* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) Other(std::forward<Arguments>(arguments)...);
  }
};

using ByteVector = std::vector<std::uint8_t, UninitializedAllocator<std::uint8_t>>;

}  // namespace spillway
