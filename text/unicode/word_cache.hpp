// Remembers where words were found in runs of word bytes that only a dictionary can find them in: the same runs come
// again and again (headings, menus, licences), and finding words costs far more than a lookup. Holds what came last, in
// a fixed memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spillway {

// Not thread-safe.
class WordCache {
 public:
  // Of a run. Words of shorter ones are found about as fast as remembered; longer ones hardly ever recur.
  static constexpr std::size_t kMinBytes = 25, kMaxBytes = 255;

  // About `bytes` of memory, at least 4 KiB.
  explicit WordCache(std::size_t bytes);

  // Sets `edges` to the begins and ends of the run's words, in turn, as offsets; false where it is not known.
  bool find(std::string_view run, std::vector<std::uint32_t>& edges) const;
  // Requires: kMinBytes..kMaxBytes bytes that find() does not know; ascending edges of words that are not empty, and
  // with two bytes or more between them if they do not touch.
  void add(std::string_view run, std::span<const std::uint32_t> edges);

 private:
  // The first of its slots, kSlotsOfRun of them.
  std::size_t slots_of(std::string_view run) const;
  void forget_all();

  // Entries go round in the ring: u8 bytes, u8 bytes of its words, the run, its words: for each the u8 length, before
  // it u8 0 and u8 gap where it does not touch the one before. Places count on over the rounds, so that one tells
  // whether its entry still stands.
  std::vector<std::uint32_t> slots_;  // places + 1 of the last entries with such a hash, the last first; 0: none
  std::vector<std::uint8_t> ring_;
  std::uint32_t next_ = 0;  // place
};

}  // namespace spillway
