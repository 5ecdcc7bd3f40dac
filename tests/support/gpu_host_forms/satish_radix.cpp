#include "tests/support/gpu_host_forms/satish_radix.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "sort/gpu/radix/satish_tile.hpp"

namespace spillway {

namespace {

using satish::DigitPass;
using satish::Items;
using satish::kDigits;
using satish::kTileThreads;
using satish::Records;

// The end of each() is a barrier: all threads are done with it.
class HostBlock {
 public:
  template <typename F>
  void each(F f) {
    for (unsigned thread = 0; thread < kTileThreads; ++thread) f(thread, memory_->items[thread]);
  }
  void sync() {}
  satish::TileMemory<false>& shared() { return memory_->shared; }

  void count_zeros(unsigned bit, unsigned size) {
    unsigned zeros = 0;
    for (unsigned first = 0; first < kTileThreads; first += 32) {
      for (unsigned i = 0; i < satish::kThreadKeys; ++i) {
        for (unsigned thread = first; thread < first + 32; ++thread) {
          memory_->items[thread].zeros_before[i] = zeros;
          if (goes_first(memory_->items[thread], thread, i, bit, size)) ++zeros;
        }
      }
    }
    each([zeros](unsigned, Items& items) { items.zeros = zeros; });
  }

 private:
  struct Memory {
    Items items[kTileThreads];
    satish::TileMemory<false> shared;
  };
  std::unique_ptr<Memory> memory_ = std::make_unique<Memory>();
};

void scatter_tile(const DigitPass& pass, Records from, Records to, const std::vector<std::uint64_t>& table,
                  std::size_t tile) {
  std::array<std::uint64_t, kDigits> digit_shift;
  std::uint64_t begin = 0;
  for (unsigned digit = 0; digit < kDigits; ++digit) {
    digit_shift[digit] = table[digit * pass.tiles() + tile] - begin;
    begin += digit_count(pass, table.data(), digit, tile);
  }
  for (unsigned thread = 0; thread < kTileThreads; ++thread) {
    satish::scatter<false>(pass, from, to, digit_shift.data(), {tile, thread});
  }
}

template <typename F>
void for_each_tile(const DigitPass& pass, F f) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pass.tiles()), f);
}

}  // namespace

void SatishRadixHostForm::sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t>) const {
  std::vector<std::uint64_t> copy(keys.size());
  Records records{keys.data(), nullptr};
  Records other{copy.data(), nullptr};
  std::vector<std::uint64_t> table(DigitPass{keys.size(), {}}.tiles() * kDigits);
  satish::for_each_digit(bits, [&](BitRange digit) {
    const DigitPass pass{keys.size(), digit};
    for_each_tile(pass, [&](const auto& tiles) {
      HostBlock block;
      for (std::size_t tile = tiles.begin(); tile != tiles.end(); ++tile) {
        satish::sort_tile<false>(block, pass, records, table.data(), tile);
      }
    });
    std::exclusive_scan(table.begin(), table.end(), table.begin(), std::uint64_t{0});
    for_each_tile(pass, [&](const auto& tiles) {
      for (std::size_t tile = tiles.begin(); tile != tiles.end(); ++tile)
        scatter_tile(pass, records, other, table, tile);
    });
    std::swap(records, other);
  });
  if (records.keys != keys.data()) std::copy(copy.begin(), copy.end(), keys.begin());
}

}  // namespace spillway
