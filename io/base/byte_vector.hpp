// A vector of bytes that resize() leaves as they are, for bytes that are written right afterwards. Large ones lie in
// large pages, where the system has some: filling them for the first time takes half as long as with small pages.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define SPILLWAY_GUARDS_ALLOCATIONS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPILLWAY_GUARDS_ALLOCATIONS
#endif
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace spillway {

// Memory of its own for a large vector. std::bad_alloc.
void* map_large_pages(std::size_t bytes);
void unmap_large_pages(void* memory, std::size_t bytes) noexcept;

template <typename T>
struct UninitializedAllocator : std::allocator<T> {
  template <typename Other>
  struct rebind {
    using other = UninitializedAllocator<Other>;
  };
#ifdef SPILLWAY_GUARDS_ALLOCATIONS
  static constexpr std::size_t kLeastMapped = ~std::size_t{0};  // the sanitizer guards what std::allocator gives
#else
  static constexpr std::size_t kLeastMapped = (std::size_t{4} << 20) / sizeof(T);
#endif

  T* allocate(std::size_t count) {
    if (count < kLeastMapped) return std::allocator<T>::allocate(count);
    return static_cast<T*>(map_large_pages(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (count < kLeastMapped) return std::allocator<T>::deallocate(memory, count);
    unmap_large_pages(memory, count * sizeof(T));
  }
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
