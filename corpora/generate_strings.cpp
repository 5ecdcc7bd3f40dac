#include "corpora/generate_strings.hpp"

#include <algorithm>
#include <cstring>

#include "corpora/ordered_blocks.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kBlockStrings = 1 << 14;

struct StringBlock {
  std::vector<char> bytes;
  std::vector<std::uint32_t> ends;
};

enum class Separator : std::uint8_t { kNone, kLineFeed };

void make_block(const StringSet& set, std::uint64_t first, std::uint64_t count, Separator separator,
                StringBlock& block) {
  block.ends.clear();
  std::size_t used = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (block.bytes.size() - used <= set.max_bytes()) block.bytes.resize(2 * used + 2 * set.max_bytes() + 1);
    char* end = set.write(first + i, block.bytes.data() + used);
    if (separator == Separator::kLineFeed) *end++ = '\n';
    used = static_cast<std::size_t>(end - block.bytes.data());
    block.ends.push_back(static_cast<std::uint32_t>(used));
  }
}

// Calls take(bytes, ends of the strings) for all blocks in order.
template <typename Take>
void each_block(const StringSet& set, std::uint64_t count, unsigned threads, Separator separator, Take take) {
  write_in_order<StringBlock>(
      threads,
      [&](std::uint64_t number, StringBlock& block) {
        const std::uint64_t first = number > count / kBlockStrings ? count : number * kBlockStrings;
        make_block(set, first, std::min(kBlockStrings, count - first), separator, block);
      },
      [&](const StringBlock& block) {
        if (!block.ends.empty()) take(std::string_view(block.bytes.data(), block.ends.back()), block.ends);
        return block.ends.size() == kBlockStrings;
      });
}

}  // namespace

void generate_strings(const StringSet& set, std::uint64_t count, unsigned threads,
                      const std::function<void(std::string_view)>& write) {
  each_block(set, count, threads, Separator::kLineFeed,
             [&](std::string_view bytes, const std::vector<std::uint32_t>&) { write(bytes); });
}

std::uint64_t string_bytes(const StringSet& set, std::uint64_t count, unsigned threads) {
  std::uint64_t total = 0;
  each_block(set, count, threads, Separator::kNone,
             [&](std::string_view bytes, const std::vector<std::uint32_t>&) { total += bytes.size(); });
  return total;
}

void fill_strings(const StringSet& set, unsigned threads, std::span<std::uint8_t> bytes,
                  std::span<std::uint64_t> offsets) {
  std::uint64_t used = 0, string = 0;
  offsets[0] = 0;
  each_block(set, offsets.size() - 1, threads, Separator::kNone,
             [&](std::string_view piece, const std::vector<std::uint32_t>& ends) {
               std::memcpy(bytes.data() + used, piece.data(), piece.size());
               for (const std::uint32_t end : ends) offsets[++string] = used + end;
               used += piece.size();
             });
}

}  // namespace spillway
