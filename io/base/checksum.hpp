// CRC32C (Castagnoli; with SSE4.2 where the CPU has it, otherwise with tables) and the whole-file hash XXH3-128.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace spillway {

// Continues `crc` (0 to start) over `bytes`.
std::uint32_t crc32c(std::uint32_t crc, std::span<const std::uint8_t> bytes);
// Returns the CRC of a sequence of bytes whose CRC is `crc`, followed by `behind_bytes` bytes whose own CRC (started at
// 0) is `behind`. O(log behind_bytes).
std::uint32_t crc32c_join(std::uint32_t crc, std::uint32_t behind, std::uint64_t behind_bytes);
// The path with tables, on every machine. For tests.
std::uint32_t crc32c_portable(std::uint32_t crc, std::span<const std::uint8_t> bytes);

using Hash128 = std::array<std::uint8_t, 16>;  // XXH3-128, canonical (big-endian) form

Hash128 hash128(std::span<const std::uint8_t> bytes);
std::string to_hex(const Hash128& hash);
std::string to_hex(std::uint32_t value);  // "0x" and 8 digits

// hash128() of bytes that arrive in several calls.
class StreamingHash128 {
 public:
  StreamingHash128();
  ~StreamingHash128();
  void update(std::span<const std::uint8_t> bytes);
  Hash128 digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
