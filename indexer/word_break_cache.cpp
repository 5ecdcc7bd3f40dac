#include "indexer/word_break_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spillway {

namespace {

constexpr std::size_t kHeadBytes = 2;
constexpr std::size_t kMaxEntryBytes = kHeadBytes + WordBreakCache::kMaxUnits * (sizeof(char16_t) + 1);
constexpr std::size_t kLeastBytes = 4096;
constexpr std::size_t kBytesOfSlot = 16;  // of memory for one

}  // namespace

WordBreakCache::WordBreakCache(std::size_t bytes)
    : slots_(std::bit_floor(std::max(bytes, kLeastBytes) / kBytesOfSlot)),
      ring_(std::max(bytes, kLeastBytes) - slots_.size() * sizeof(std::uint32_t)) {}

std::uint64_t WordBreakCache::hash_of(std::span<const char16_t> stretch) {
  return XXH3_64bits(stretch.data(), stretch.size_bytes());
}

std::span<const std::uint8_t> WordBreakCache::find(std::span<const char16_t> stretch) const {
  const std::uint32_t slot = slots_[hash_of(stretch) & (slots_.size() - 1)];
  if (slot == 0 || slot - 1 + ring_.size() < next_) return {};  // none, or overwritten
  const std::uint8_t* const entry = ring_.data() + (slot - 1) % ring_.size();
  const std::size_t units = entry[0], words = entry[1];
  if (units != stretch.size() || std::memcmp(entry + kHeadBytes, stretch.data(), stretch.size_bytes()) != 0) return {};
  return {entry + kHeadBytes + stretch.size_bytes(), words};
}

void WordBreakCache::add(std::span<const char16_t> stretch, std::span<const std::uint8_t> ends) {
  if (next_ > std::numeric_limits<std::uint32_t>::max() - 2 * ring_.size()) forget_all();
  const std::size_t left = ring_.size() - next_ % ring_.size();
  if (left < kMaxEntryBytes) next_ += static_cast<std::uint32_t>(left);
  std::uint8_t* const entry = ring_.data() + next_ % ring_.size();
  entry[0] = static_cast<std::uint8_t>(stretch.size());
  entry[1] = static_cast<std::uint8_t>(ends.size());
  std::memcpy(entry + kHeadBytes, stretch.data(), stretch.size_bytes());
  std::memcpy(entry + kHeadBytes + stretch.size_bytes(), ends.data(), ends.size());
  slots_[hash_of(stretch) & (slots_.size() - 1)] = next_ + 1;
  next_ += static_cast<std::uint32_t>(kHeadBytes + stretch.size_bytes() + ends.size());
}

void WordBreakCache::forget_all() {
  std::fill(slots_.begin(), slots_.end(), 0);
  next_ = 0;
}

}  // namespace spillway
