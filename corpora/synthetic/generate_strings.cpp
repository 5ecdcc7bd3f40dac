#include "corpora/synthetic/generate_strings.hpp"

#include <algorithm>
#include <cstring>

#include "corpora/synthetic/ordered_blocks.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kMostBlockStrings = 1 << 14;
constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

struct StringBlock {
  std::vector<char> bytes;
  std::vector<std::size_t> ends;
};

enum class Separator : std::uint8_t { kNone, kLineFeed };

// The number of strings that certainly fit kBlockBytes, at least 1, because lines of files have any length.
std::uint64_t block_strings(const StringSet& set) {
  return std::clamp<std::uint64_t>(kBlockBytes / (set.max_bytes() + 1), 1, kMostBlockStrings);
}

void make_block(const StringSet& set, std::uint64_t first, std::uint64_t count, Separator separator,
                StringBlock& block) {
  block.ends.clear();
  block.bytes.resize(static_cast<std::size_t>(count) * (set.max_bytes() + 1));
  std::size_t used = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    char* end = set.write(first + i, block.bytes.data() + used);
    if (separator == Separator::kLineFeed) *end++ = '\n';
    used = static_cast<std::size_t>(end - block.bytes.data());
    block.ends.push_back(used);
  }
}

// One thread makes strings that are longer than a block, because each thread holds a string.
unsigned string_threads(const StringSet& set, unsigned threads) { return block_strings(set) == 1 ? 1 : threads; }

// Calls take(bytes, ends of the strings) for all blocks, in order.
template <typename Take>
void each_block(const StringSet& set, std::uint64_t count, unsigned threads, Separator separator, Take take) {
  const std::uint64_t each = block_strings(set);
  write_in_order<StringBlock>(
      string_threads(set, threads),
      [&](std::uint64_t number, StringBlock& block) {
        const std::uint64_t first = number > count / each ? count : number * each;
        make_block(set, first, std::min(each, count - first), separator, block);
      },
      [&](const StringBlock& block) {
        if (!block.ends.empty()) take(std::string_view(block.bytes.data(), block.ends.back()), block.ends);
        return block.ends.size() == each;
      });
}

}  // namespace

void generate_strings(const StringSet& set, std::uint64_t count, unsigned threads,
                      const std::function<void(std::string_view)>& write) {
  each_block(set, count, threads, Separator::kLineFeed,
             [&](std::string_view bytes, const std::vector<std::size_t>&) { write(bytes); });
}

std::size_t generating_bytes(const StringSet& set, std::uint64_t count, unsigned threads) {
  const std::uint64_t each = block_strings(set), blocks = (count + each - 1) / each;
  const std::uint64_t made = std::min(count, each * std::min<std::uint64_t>(string_threads(set, threads), blocks));
  return static_cast<std::size_t>(made) * (set.max_bytes() + 1 + sizeof(std::size_t));
}

std::uint64_t string_bytes(const StringSet& set, std::uint64_t count, unsigned threads) {
  std::uint64_t total = 0;
  each_block(set, count, threads, Separator::kNone,
             [&](std::string_view bytes, const std::vector<std::size_t>&) { total += bytes.size(); });
  return total;
}

void fill_strings(const StringSet& set, unsigned threads, std::span<std::uint8_t> bytes,
                  std::span<std::uint64_t> offsets) {
  std::uint64_t used = 0, string = 0;
  offsets[0] = 0;
  each_block(set, offsets.size() - 1, threads, Separator::kNone,
             [&](std::string_view fragment, const std::vector<std::size_t>& ends) {
               std::memcpy(bytes.data() + used, fragment.data(), fragment.size());
               for (const std::size_t end : ends) offsets[++string] = used + end;
               used += fragment.size();
             });
}

}  // namespace spillway
