// Remembers the tokens of words that only a dictionary can split: the same words recur (headings, menus, licences), and
// splitting costs far more than a lookup. Keeps the most recent words in a fixed amount of memory. Time of find() and
// add(): O(word).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spillway {

// Not thread-safe.
class WordCache {
 public:
  // Length of the words that are remembered. Shorter words are split about as fast as they are looked up; longer ones
  // hardly ever recur.
  static constexpr std::size_t kMinBytes = 25, kMaxBytes = 255;

  // Takes about `bytes` bytes of memory, at least 4 KiB.
  explicit WordCache(std::size_t bytes);

  // Sets `edges` to the offsets where the tokens of the word begin and end, in turn. Returns false if the word is
  // unknown.
  bool find(std::string_view word, std::vector<std::uint32_t>& edges) const;
  // Requires: a word of kMinBytes to kMaxBytes that find() does not know; ascending edges of non-empty tokens, which
  // touch or have at least two bytes between them.
  void add(std::string_view word, std::span<const std::uint32_t> edges);

 private:
  // The first of the kSlotsOfWord slots of a word.
  std::size_t slots_of(std::string_view word) const;
  void forget_all();

  // The ring holds entries: u8 length of the word, u8 length of the token list, the word, the token list. The list has
  // the u8 length of each token, preceded by u8 0 and u8 gap if it does not touch the previous token. Places keep
  // counting when the ring starts over, so a place shows whether its entry was overwritten.
  std::vector<std::uint32_t> slots_;  // place + 1 of the latest entries with this hash, newest first; 0: none
  std::vector<std::uint8_t> ring_;
  std::uint32_t next_ = 0;  // place
};

}  // namespace spillway
