#include "corpora/synthetic/generate_keys.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "corpora/synthetic/ordered_blocks.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kBlockKeys = 1 << 16;

static_assert(std::endian::native == std::endian::little);

std::uint64_t keys_of_block(const KeySet& set, std::uint64_t number) {
  const std::uint64_t count = set.options().count;
  return number > count / kBlockKeys ? 0 : std::min(kBlockKeys, count - number * kBlockKeys);
}

void make_block(const KeySet& set, std::uint64_t number, std::span<std::uint64_t> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = set.at(number * kBlockKeys + i);
}

}  // namespace

void generate_keys(const KeySet& set, unsigned threads, const std::function<void(std::string_view)>& write) {
  using Keys = std::vector<std::uint64_t>;
  write_in_order<Keys>(
      threads,
      [&](std::uint64_t number, Keys& keys) {
        keys.resize(static_cast<std::size_t>(keys_of_block(set, number)));
        make_block(set, number, keys);
      },
      [&](const Keys& keys) {
        if (!keys.empty()) write({reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof(std::uint64_t)});
        return keys.size() == kBlockKeys;
      });
}

void fill_keys(const KeySet& set, unsigned threads, std::span<std::uint64_t> keys) {
  write_in_order<std::uint64_t>(
      threads,
      [&](std::uint64_t number, std::uint64_t& made) {
        made = keys_of_block(set, number);
        if (made != 0) make_block(set, number, keys.subspan(number * kBlockKeys, made));
      },
      [](std::uint64_t made) { return made == kBlockKeys; });
}

}  // namespace spillway
