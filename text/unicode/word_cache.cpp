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
constexpr std::size_t kBytesOfSlot = 16;  // of memory for one
constexpr std::size_t kSlotsOfRun = 2;

// Never more bytes than the run has: where there is a gap, it has two or more.
std::size_t write_words(std::span<const std::uint32_t> edges, std::uint8_t* to) {
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

void read_words(std::span<const std::uint8_t> from, std::vector<std::uint32_t>& edges) {
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

std::size_t WordCache::slots_of(std::string_view run) const {
  return XXH3_64bits(run.data(), run.size()) & (slots_.size() - kSlotsOfRun);
}

bool WordCache::find(std::string_view run, std::vector<std::uint32_t>& edges) const {
  const std::size_t first = slots_of(run);
  for (std::size_t i = first; i < first + kSlotsOfRun; ++i) {
    const std::uint32_t slot = slots_[i];
    if (slot == 0 || slot - 1 + ring_.size() < next_) return false;  // none, or overwritten, as are older ones
    const std::uint8_t* const entry = ring_.data() + (slot - 1) % ring_.size();
    const std::size_t bytes = entry[0];
    if (bytes == run.size() && std::memcmp(entry + kHeadBytes, run.data(), bytes) == 0) {
      read_words({entry + kHeadBytes + bytes, entry[1]}, edges);
      return true;
    }
  }
  return false;
}

void WordCache::add(std::string_view run, std::span<const std::uint32_t> edges) {
  if (next_ > std::numeric_limits<std::uint32_t>::max() - 2 * ring_.size()) forget_all();
  const std::size_t left = ring_.size() - next_ % ring_.size();
  if (left < kMaxEntryBytes) next_ += static_cast<std::uint32_t>(left);
  std::uint8_t* const entry = ring_.data() + next_ % ring_.size();
  entry[0] = static_cast<std::uint8_t>(run.size());
  std::memcpy(entry + kHeadBytes, run.data(), run.size());
  const std::size_t words = write_words(edges, entry + kHeadBytes + run.size());
  entry[1] = static_cast<std::uint8_t>(words);
  const std::size_t first = slots_of(run);
  std::copy_backward(&slots_[first], &slots_[first] + kSlotsOfRun - 1, &slots_[first] + kSlotsOfRun);
  slots_[first] = next_ + 1;
  next_ += static_cast<std::uint32_t>(kHeadBytes + run.size() + words);
}

void WordCache::forget_all() {
  std::fill(slots_.begin(), slots_.end(), 0);
  next_ = 0;
}

}  // namespace spillway
