#include "text/unicode/word_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spillway {

namespace {

constexpr std::size_t kHeadBytes = 2;
constexpr std::size_t kMaxEntryBytes = kHeadBytes + 2 * WordCache::kMaxBytes;
constexpr std::size_t kLeastBytes = 4096;
constexpr std::size_t kBytesOfSlot = 16;  // bytes of memory per slot
constexpr std::size_t kSlotsOfWord = 2;

// Returns the bytes written, which are at most the bytes of the word, because a gap has at least two bytes.
std::size_t write_tokens(std::span<const std::uint32_t> edges, std::uint8_t* to) {
  std::size_t bytes = 0;
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < edges.size(); i += 2) {
    if (edges[i] != at) {
      to[bytes++] = 0;
      to[bytes++] = static_cast<std::uint8_t>(edges[i] - at);
    }
    at = edges[i + 1];
    to[bytes++] = static_cast<std::uint8_t>(at - edges[i]);
  }
  return bytes;
}

void read_tokens(std::span<const std::uint8_t> from, std::vector<std::uint32_t>& edges) {
  edges.clear();
  std::uint32_t at = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 0) {
      at += from[++i];
      continue;
    }
    edges.push_back(at);
    edges.push_back(at += from[i]);
  }
}

}  // namespace

WordCache::WordCache(std::size_t bytes)
    : slots_(std::bit_floor(std::max(bytes, kLeastBytes) / kBytesOfSlot)),
      ring_(std::max(bytes, kLeastBytes) - slots_.size() * sizeof(std::uint32_t)) {}

std::size_t WordCache::slots_of(std::string_view word) const {
  return XXH3_64bits(word.data(), word.size()) & (slots_.size() - kSlotsOfWord);
}

bool WordCache::find(std::string_view word, std::vector<std::uint32_t>& edges) const {
  const std::size_t first = slots_of(word);
  for (std::size_t i = first; i < first + kSlotsOfWord; ++i) {
    const std::uint32_t slot = slots_[i];
    if (slot == 0 || slot - 1 + ring_.size() < next_) return false;  // none, or overwritten like all older ones
    const std::uint8_t* const entry = ring_.data() + (slot - 1) % ring_.size();
    const std::size_t bytes = entry[0];
    if (bytes == word.size() && std::memcmp(entry + kHeadBytes, word.data(), bytes) == 0) {
      read_tokens({entry + kHeadBytes + bytes, entry[1]}, edges);
      return true;
    }
  }
  return false;
}

void WordCache::add(std::string_view word, std::span<const std::uint32_t> edges) {
  if (next_ > std::numeric_limits<std::uint32_t>::max() - 2 * ring_.size()) forget_all();
  const std::size_t left = ring_.size() - next_ % ring_.size();
  if (left < kMaxEntryBytes) next_ += static_cast<std::uint32_t>(left);
  std::uint8_t* const entry = ring_.data() + next_ % ring_.size();
  entry[0] = static_cast<std::uint8_t>(word.size());
  std::memcpy(entry + kHeadBytes, word.data(), word.size());
  const std::size_t tokens = write_tokens(edges, entry + kHeadBytes + word.size());
  entry[1] = static_cast<std::uint8_t>(tokens);
  const std::size_t first = slots_of(word);
  std::copy_backward(&slots_[first], &slots_[first] + kSlotsOfWord - 1, &slots_[first] + kSlotsOfWord);
  slots_[first] = next_ + 1;
  next_ += static_cast<std::uint32_t>(kHeadBytes + word.size() + tokens);
}

void WordCache::forget_all() {
  std::fill(slots_.begin(), slots_.end(), 0);
  next_ = 0;
}

}  // namespace spillway
