// Owns what travels through a oneTBB pipeline. A pipeline that an exception ends forgets the values that wait between
// its filters without destroying them (oneTBB 2021.8): what they own would leak. Pointers may be forgotten.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace spillway {

// All members may be called by several threads at once.
template <typename T>
class InFlight {
 public:
  // The pointer is valid until remove(), or until this object ends.
  T* add(T value) {
    auto owned = std::make_unique<T>(std::move(value));
    T* const pointer = owned.get();
    const std::lock_guard lock(mutex_);
    owned_.emplace(pointer, std::move(owned));
    return pointer;
  }

  // Destroys the value. Requires: a pointer from add().
  void remove(T* pointer) {
    typename Owned::node_type removed;  // destroyed after the lock is given back
    const std::lock_guard lock(mutex_);
    removed = owned_.extract(pointer);
  }

 private:
  using Owned = std::unordered_map<T*, std::unique_ptr<T>>;
  std::mutex mutex_;
  Owned owned_;
};

}  // namespace spillway
