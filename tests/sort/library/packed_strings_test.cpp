#include "sort/library/packed_strings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/sort/library/string_sets.hpp"

namespace spillway {
namespace {

std::string packed(std::string_view text) {
  std::vector<std::uint8_t> room(2 * text.size() + kPackedPadding, 0);
  room.resize(static_cast<std::size_t>(pack(text, room.data()) - room.data()));
  return {room.begin(), room.end()};
}

TEST(PackedStrings, KeepOrderAndBytes) {
  for (testing::Strings strings : testing::contract_sets()) {
    std::ranges::sort(strings);
    std::string last, unpacked;
    for (const std::string& string : strings) {
      const std::string now = packed(string);
      EXPECT_LE(last, now);
      EXPECT_EQ(now.size(), packed_bytes(string));
      EXPECT_EQ(now.find_first_of(std::string_view("\0\1", 2)), std::string::npos);
      unpack(now, unpacked);
      EXPECT_EQ(unpacked, string);
      last = now;
    }
  }
}

TEST(PackedStrings, KeyAndValueOrderAsPairs) {
  const testing::Strings parts = testing::random_strings(60, 3, testing::kEdgeBytes, 1);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& key : parts) {
    for (const std::string& value : parts) pairs.emplace_back(key, value);
  }
  std::ranges::sort(pairs);
  std::string last;
  for (const auto& [key, value] : pairs) {
    const std::string now = packed(key) + static_cast<char>(kPackedValue) + packed(value);
    EXPECT_LE(last, now);
    last = now;
  }
}

TEST(PackedStrings, FindReservedBytesAtEachPlace) {
  for (std::size_t bytes = 0; bytes < 40; ++bytes) {
    std::vector<std::uint8_t> text(bytes + kPackedPadding, 0);  // bytes after the text do not count
    std::fill_n(text.begin(), bytes, std::uint8_t{3});
    EXPECT_FALSE(has_reserved(text.data(), bytes)) << bytes;
    for (std::size_t at = 0; at < bytes; ++at) {
      for (const int byte : {0, 1, 2, 3, 128, 130, 255}) {
        text[at] = static_cast<std::uint8_t>(byte);
        EXPECT_EQ(has_reserved(text.data(), bytes), byte <= 2) << bytes << ' ' << at << ' ' << byte;
      }
      text[at] = 3;
    }
  }
}

}  // namespace
}  // namespace spillway
