#include "tests/support/gpu_host_forms/hybrid_msd.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "sort/gpu/hybrid_msd/prefix_msd.hpp"
#include "sort/gpu/hybrid_msd/prefix_sort.hpp"

namespace spillway {

namespace {

struct Item {
  std::uint64_t prefix;
  std::uint32_t index;
};

class HostFormPrefixSort final : public PrefixSort {
 public:
  explicit HostFormPrefixSort(std::size_t count) : arrays_{std::vector<Item>(count), std::vector<Item>(count)} {}

  void load(const std::function<void(std::span<std::uint64_t>, std::size_t)>& fill) override {
    std::vector<std::uint64_t> prefixes(count());
    fill(prefixes, 0);
    for (std::size_t i = 0; i < count(); ++i) arrays_[0][i] = {prefixes[i], static_cast<std::uint32_t>(i)};
  }
  void sort() override {
    const MsdBucket all{0, static_cast<std::uint32_t>(count()), 0};
    if (all.size() <= kMsdTile) {
      finish(all);
      return;
    }
    std::vector<MsdBucket> buckets{all}, next;
    for (std::uint32_t level = 0; !buckets.empty(); ++level) {
      for (const MsdBucket& bucket : buckets) split(bucket, level, next);
      buckets = std::exchange(next, {});
    }
  }
  void take_ties(std::span<std::uint32_t> words) override {
    std::fill(words.begin(), words.end(), 0u);
    for (std::size_t i = 1; i < count(); ++i) {
      if (arrays_[0][i].prefix == arrays_[0][i - 1].prefix) words[i / 32] |= 1u << (i % 32);
    }
  }
  void take_order(const std::function<void(std::span<const std::uint32_t>, std::size_t)>& take) override {
    std::vector<std::uint32_t> order(count());
    for (std::size_t i = 0; i < count(); ++i) order[i] = arrays_[0][i].index;
    const std::size_t half = count() / 2;
    take(std::span(order).first(half), 0);
    take(std::span(order).subspan(half), half);
  }

 private:
  std::size_t count() const { return arrays_[0].size(); }
  void split(const MsdBucket& bucket, std::uint32_t level, std::vector<MsdBucket>& next);
  void finish(const MsdBucket& tile);

  std::array<std::vector<Item>, 2> arrays_;
};

void HostFormPrefixSort::split(const MsdBucket& bucket, std::uint32_t level, std::vector<MsdBucket>& next) {
  std::array<std::uint32_t, kMsdDigits> places{};
  const std::vector<Item>& from = arrays_[bucket.array];
  const auto digit = [level](const Item& item) { return msd_digit(item.prefix, item.index, level); };
  for (std::uint32_t i = bucket.begin; i != bucket.end; ++i) ++places[digit(from[i])];
  bool is_whole = std::find(places.begin(), places.end(), bucket.size()) != places.end();
  std::vector<MsdBucket> tiles;
  plan_buckets(
      bucket, places.data(), [&](const MsdBucket& child) { next.push_back(child); },
      [&](const MsdBucket& tile) { tiles.push_back(tile); });
  // Backwards: any order must do.
  for (std::uint32_t i = bucket.end; !is_whole && i-- != bucket.begin;) {
    arrays_[1 - bucket.array][places[digit(from[i])]++] = from[i];
  }
  for (const MsdBucket& tile : tiles) finish(tile);
}

void HostFormPrefixSort::finish(const MsdBucket& tile) {
  const auto from = arrays_[tile.array].begin() + tile.begin;
  std::vector<Item> items(from, from + tile.size());
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return is_prefix_before(a.prefix, a.index, b.prefix, b.index); });
  std::copy(items.begin(), items.end(), arrays_[0].begin() + tile.begin);
}

}  // namespace

std::unique_ptr<PrefixSort> HybridMsdHostForm::make_prefix_sort(std::size_t count, std::span<std::uint8_t>) const {
  return std::make_unique<HostFormPrefixSort>(count);
}

}  // namespace spillway
