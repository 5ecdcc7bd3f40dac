// Any range of the packed strings equals that of strings packed one after another.
#include "sort/gpu/host/string_packer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

struct Packed {
  std::vector<std::string> texts;
  std::vector<StringRef> strings;
  std::string bytes;
  std::vector<std::uint64_t> offsets{0};
};

Packed make_strings(std::size_t count, std::size_t max_bytes, std::uint64_t seed) {
  Packed packed;
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < count; ++i) {
    packed.texts.emplace_back(random() % (max_bytes + 1), static_cast<char>('a' + random() % 26));
    packed.bytes += packed.texts.back();
    packed.offsets.push_back(packed.bytes.size());
  }
  for (const std::string& text : packed.texts) {
    packed.strings.push_back(
        {reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<std::uint32_t>(text.size()), 0});
  }
  return packed;
}

void check_parts(const Packed& packed, std::size_t part_bytes, std::size_t part_offsets) {
  std::vector<std::uint64_t> sums(StringPacker::sum_count(packed.strings.size()));
  const StringPacker packer(packed.strings, sums);
  ASSERT_EQ(packer.total_bytes(), packed.bytes.size());
  std::string bytes(packed.bytes.size(), '?');
  for (std::size_t from = 0; from < bytes.size(); from += part_bytes) {
    const std::size_t size = std::min(part_bytes, bytes.size() - from);
    packer.write_bytes({reinterpret_cast<std::uint8_t*>(bytes.data()) + from, size}, from);
  }
  EXPECT_TRUE(bytes == packed.bytes);
  std::vector<std::uint64_t> offsets(packed.offsets.size(), ~std::uint64_t{0});
  for (std::size_t from = 0; from < offsets.size(); from += part_offsets) {
    packer.write_offsets(std::span(offsets).subspan(from, std::min(part_offsets, offsets.size() - from)), from);
  }
  EXPECT_TRUE(offsets == packed.offsets);
}

TEST(StringPacker, WritesAnyPart) {
  const std::size_t block = StringPacker::kGroup;
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, block - 1, block, block + 1, 3 * block + 17}) {
    const Packed packed = make_strings(count, 20, count);
    check_parts(packed, 512, 512);
    check_parts(packed, 4096, block);
    check_parts(packed, 1 << 20, 1 << 20);
  }
}

TEST(StringPacker, CutsLongStringsAndPassesEmptyOnes) {
  check_parts(make_strings(300, 70000, 1), 4096, 100);
  check_parts(make_strings(10000, 0, 2), 4096, 512);
}

TEST(StringPacker, TakesNoStrings) {
  const Packed none;
  check_parts(none, 4096, 512);
}

}  // namespace
}  // namespace spillway
