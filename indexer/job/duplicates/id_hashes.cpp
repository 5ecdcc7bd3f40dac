#include "indexer/job/duplicates/id_hashes.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <bit>

#include "sort/cpu/radix_sorter.hpp"
#include "sort/interface/scratch.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spillway {

namespace {

// The hashes are parted by their highest bits: by at most 11, which is one pass of the sorter, and into parts of about
// 8,192 or more. 20 million take 0.24 s of a thread for that and 0.2 s for the tables of the parts; to sort them by all
// bits takes 1.2 s (one Xeon core).
constexpr unsigned kMostPartBits = 11;
constexpr std::size_t kLeastPart = std::size_t{1} << 13;
// A way through a table that is half full is shorter by far, unless hashes are made to be alike.
constexpr unsigned kMostSteps = 256;

unsigned bits_of_parts(std::size_t count) {
  return std::min(kMostPartBits, static_cast<unsigned>(std::bit_width(count / kLeastPart)));
}

// The slots of the table of a part. It is about half full at most where hashes are random.
std::size_t slots_of_part(std::size_t count) {
  const std::size_t expected = count >> bits_of_parts(count);
  return std::bit_ceil(2 * expected + kMostSteps);
}

std::size_t thread_count() { return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()); }

std::size_t table_bytes(std::size_t count) { return thread_count() * slots_of_part(count) * sizeof(std::uint64_t); }

}  // namespace

std::uint64_t hash_id(std::string_view id) { return XXH3_64bits(id.data(), id.size()); }

std::size_t IdHashes::memory_bytes(std::size_t count) {
  const unsigned bits = bits_of_parts(count);
  const std::size_t scratch = RadixSorter().scratch_bytes(count, {64 - bits, 64});
  return round_to_scratch_alignment(count * sizeof(std::uint64_t)) +
         std::max(scratch, table_bytes(count) + kScratchAlignment);
}

IdHashes::IdHashes(std::size_t count, std::span<std::uint8_t> memory, IdHash hash)
    : hashes_(reinterpret_cast<std::uint64_t*>(memory.data()), count),
      scratch_(memory.subspan(round_to_scratch_alignment(hashes_.size_bytes()))),
      hash_(hash),
      part_bits_(bits_of_parts(count)) {}

bool IdHashes::may_repeat(const std::function<void()>& check) {
  if (check) check();
  RadixSorter().sort(hashes_, {64 - part_bits_, 64}, scratch_);
  const std::size_t slots = slots_of_part(hashes_.size());
  // The sort does not need its scratch any more.
  const auto tables = ScratchArrays(scratch_).take<std::uint64_t>(thread_count() * slots);
  std::atomic<bool> found{false};
  tbb::parallel_for(std::uint64_t{0}, std::uint64_t{1} << part_bits_, [&](std::uint64_t part) {
    if (found.load(std::memory_order_relaxed)) return;
    if (check) check();
    const auto thread = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    if (part_may_repeat(part, tables.subspan(thread * slots, slots))) found.store(true, std::memory_order_relaxed);
  });
  return found.load();
}

// Puts the hashes of a part into a hash table with linear probing.
bool IdHashes::part_may_repeat(std::uint64_t part, std::span<std::uint64_t> table) const {
  const auto part_of = [this](std::uint64_t hash) { return hash >> 1 >> (63 - part_bits_); };
  const auto place_of = [&](std::uint64_t of) {
    return std::ranges::partition_point(hashes_, [&](std::uint64_t hash) { return part_of(hash) < of; });
  };
  std::ranges::fill(table, kNone);
  const std::size_t mask = table.size() - 1, most = table.size() / 4 * 3;
  const int shift = 64 - std::countr_zero(table.size());
  std::size_t taken = 0;
  for (const std::uint64_t hash : std::span(place_of(part), place_of(part + 1))) {
    if (hash == kNone) continue;
    if (++taken > most) return true;
    std::size_t at = hash << part_bits_ >> shift;
    for (unsigned steps = 0; table[at] != kNone; at = (at + 1) & mask) {
      if (table[at] == hash || ++steps == kMostSteps) return true;
    }
    table[at] = hash;
  }
  return false;
}

}  // namespace spillway
