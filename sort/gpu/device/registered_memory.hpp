// Locks the pages of the caller's memory for a while, so that copies to and from a GPU run at full speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

// Locks the whole pages inside `memory` until destruction; no copy may be under way then. Locking resident memory takes
// 0.035 s/GiB on the H200 machine, where new pinned memory takes 0.4. Where the system refuses, the memory stays
// pageable and copies are only slower.
class RegisteredMemory {
 public:
  RegisteredMemory(std::span<std::uint8_t> memory, int gpu);
  ~RegisteredMemory();
  RegisteredMemory(const RegisteredMemory&) = delete;
  RegisteredMemory& operator=(const RegisteredMemory&) = delete;

  static constexpr std::size_t kPageBytes = 4096;
  bool is_locked() const { return is_locked_; }
  std::span<std::uint8_t> span() const { return pages_; }

 private:
  std::span<std::uint8_t> pages_;
  bool is_locked_ = false;
};

}  // namespace spillway
