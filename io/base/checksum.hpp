// CRC32C (Castagnoli; SSE4.2 where the CPU has it, tables else) and the whole-file hash XXH3-128.
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
// Of the bytes behind `crc`'s and so many others, of which `behind` is the CRC alone (from 0): in time of the logarithm
// of their number.
std::uint32_t crc32c_join(std::uint32_t crc, std::uint32_t behind, std::uint64_t behind_bytes);
// The table path, on every machine: for tests.
std::uint32_t crc32c_portable(std::uint32_t crc, std::span<const std::uint8_t> bytes);

using Hash128 = std::array<std::uint8_t, 16>;  // XXH3-128, canonical (big-endian) form

Hash128 hash128(std::span<const std::uint8_t> bytes);
std::string to_hex(const Hash128& hash);

// The same over bytes that come in pieces.
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
