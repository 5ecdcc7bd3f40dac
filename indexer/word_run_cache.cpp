#include "indexer/word_run_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spillway {

namespace {

constexpr std::size_t kHeadBytes = 2;
constexpr std::size_t kMaxEntryBytes = kHeadBytes + 3 * WordRunCache::kMaxBytes;
constexpr std::size_t kLeastBytes = 4096;
constexpr std::size_t kBytesOfSlot = 16;  // of memory for one
constexpr std::size_t kSlotsOfRun = 2;

}  // namespace

WordRunCache::WordRunCache(std::size_t bytes)
    : slots_(std::bit_floor(std::max(bytes, kLeastBytes) / kBytesOfSlot)),
      ring_(std::max(bytes, kLeastBytes) - slots_.size() * sizeof(std::uint32_t)) {}

std::size_t WordRunCache::slots_of(std::string_view run) const {
  return XXH3_64bits(run.data(), run.size()) & (slots_.size() - kSlotsOfRun);
}

std::span<const std::uint8_t> WordRunCache::find(std::string_view run) const {
  const std::size_t first = slots_of(run);
  for (std::size_t i = first; i < first + kSlotsOfRun; ++i) {
    const std::uint32_t slot = slots_[i];
    if (slot == 0 || slot - 1 + ring_.size() < next_) return {};  // none, or overwritten, as are older ones
    const std::uint8_t* const entry = ring_.data() + (slot - 1) % ring_.size();
    const std::size_t bytes = entry[0], words = entry[1];
    if (bytes == run.size() && std::memcmp(entry + kHeadBytes, run.data(), bytes) == 0) {
      return {entry + kHeadBytes + bytes, 2 * words};
    }
  }
  return {};
}

void WordRunCache::add(std::string_view run, std::span<const std::uint32_t> edges) {
  if (next_ > std::numeric_limits<std::uint32_t>::max() - 2 * ring_.size()) forget_all();
  const std::size_t left = ring_.size() - next_ % ring_.size();
  if (left < kMaxEntryBytes) next_ += static_cast<std::uint32_t>(left);
  std::uint8_t* const entry = ring_.data() + next_ % ring_.size();
  entry[0] = static_cast<std::uint8_t>(run.size());
  entry[1] = static_cast<std::uint8_t>(edges.size() / 2);
  std::memcpy(entry + kHeadBytes, run.data(), run.size());
  std::uint8_t* const to = entry + kHeadBytes + run.size();
  std::transform(edges.begin(), edges.end(), to, [](std::uint32_t edge) { return static_cast<std::uint8_t>(edge); });
  const std::size_t first = slots_of(run);
  std::copy_backward(&slots_[first], &slots_[first] + kSlotsOfRun - 1, &slots_[first] + kSlotsOfRun);
  slots_[first] = next_ + 1;
  next_ += static_cast<std::uint32_t>(kHeadBytes + run.size() + edges.size());
}

void WordRunCache::forget_all() {
  std::fill(slots_.begin(), slots_.end(), 0);
  next_ = 0;
}

}  // namespace spillway
