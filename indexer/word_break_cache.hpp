// Remembers where a dictionary found words in stretches of text without spaces: the same ones come again and again
// (headings, menus, licences), and finding words costs far more than a lookup. Holds what came last, in a fixed memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spillway {

// Not thread-safe.
class WordBreakCache {
 public:
  static constexpr std::size_t kMaxUnits = 64;  // UTF-16 units of a stretch; longer ones are not remembered

  // About `bytes` of memory, at least 4 KiB.
  explicit WordBreakCache(std::size_t bytes);

  // The ends of the stretch's words, ascending, the last is its size; empty where it is not known. Valid until the
  // next add().
  std::span<const std::uint8_t> find(std::span<const char16_t> stretch) const;
  // Requires: 1..kMaxUnits units; ends as find() gives them.
  void add(std::span<const char16_t> stretch, std::span<const std::uint8_t> ends);

 private:
  static std::uint64_t hash_of(std::span<const char16_t> stretch);

  void forget_all();

  // Entries go round in the ring: u8 units, u8 words, units, ends. Places count on over the rounds, so that one tells
  // whether its entry still stands.
  std::vector<std::uint32_t> slots_;  // place + 1 of the last entry with such a hash, 0: none
  std::vector<std::uint8_t> ring_;
  std::uint32_t next_ = 0;  // place
};

}  // namespace spillway
