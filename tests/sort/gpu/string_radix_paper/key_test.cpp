// The keys of gpu-string-radix:paper on the host: rounds over them sort any strings.
#include "sort/gpu/string_radix_paper/key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

// Strings as in device memory, readable beyond their end.
class PackedForKeys {
 public:
  explicit PackedForKeys(const std::vector<std::string>& strings) : offsets_{0} {
    for (const std::string& text : strings) {
      bytes_ += text;
      offsets_.push_back(bytes_.size());
    }
    words_.resize(bytes_.size() / 8 + 3);
    std::copy(bytes_.begin(), bytes_.end(), reinterpret_cast<char*>(words_.data()));
  }
  DeviceString at(std::size_t i) const {
    return {reinterpret_cast<const std::uint8_t*>(words_.data()) + offsets_[i],
            static_cast<std::uint32_t>(offsets_[i + 1] - offsets_[i])};
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> offsets_;
  std::vector<std::uint64_t> words_;
};

// The rounds of the sorter, with all strings kept to the end.
std::vector<std::uint32_t> sorted_by_rounds(const std::vector<std::string>& strings, unsigned segment_bytes,
                                            unsigned count_bytes) {
  const PackedForKeys packed(strings);
  std::vector<std::uint32_t> order(strings.size()), segments(strings.size(), 0);
  std::iota(order.begin(), order.end(), 0u);
  SegmentKey shape{.segment_bytes = segment_bytes, .count_bytes = count_bytes};
  for (bool is_open = true; is_open; shape.depth = shape.end()) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> round;
    for (std::size_t i = 0; i < order.size(); ++i) {
      round.emplace_back(segment_key(shape, packed.at(order[i]), segments[i]), order[i]);
    }
    std::stable_sort(round.begin(), round.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::uint32_t segment = 0;
    is_open = false;
    for (std::size_t i = 0; i < round.size(); ++i) {
      const bool is_first = i == 0 || round[i - 1].first != round[i].first;
      if (i > 0 && is_first) ++segment;
      if (!is_first && packed.at(round[i].second).bytes >= shape.end()) is_open = true;
      order[i] = round[i].second;
      segments[i] = segment;
    }
  }
  return order;
}

std::vector<std::string> strings_over(const std::string& letters, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> strings(count);
  for (std::string& text : strings) {
    text.resize(random() % 20);
    for (char& byte : text) byte = letters[random() % letters.size()];
  }
  return strings;
}

void check(const std::vector<std::string>& strings, unsigned segment_bytes, unsigned count_bytes) {
  std::vector<std::uint32_t> expected(strings.size());
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return strings[a] < strings[b]; });
  EXPECT_EQ(sorted_by_rounds(strings, segment_bytes, count_bytes), expected)
      << segment_bytes << " bytes for segments, " << count_bytes << " for counts";
}

TEST(SegmentKeys, SortStringsWithoutNul) {
  for (const unsigned segment_bytes : {2u, 3u, 4u}) {
    check(strings_over("a", 300, 1), segment_bytes, 0);
    check(strings_over("ab\xFF", 2000, 2), segment_bytes, 0);
    check({"ab", "abc", "ab", "abcdef", "abcde", "abcd", "abcdefgh", "abcdefg", ""}, segment_bytes, 0);
  }
}

TEST(SegmentKeys, TakeNulAsAByteWhereTheyCount) {
  using namespace std::string_literals;
  for (const unsigned segment_bytes : {2u, 3u, 4u}) {
    check({"a\0"s, "a"s, "a\0b"s, "a\0\0"s, ""s, "\0"s, "\0\0"s, "aaaaaaa"s, "aaaaaaa\0"s, "aaaaaaaa"s}, segment_bytes,
          1);
    check(strings_over("\0a"s, 2000, 3), segment_bytes, 1);
  }
}

TEST(SegmentKeys, HoldTheSegmentAboveTheBytes) {
  const PackedForKeys packed({"abcdefghij"});
  SegmentKey shape{.segment_bytes = 0, .count_bytes = 0};
  EXPECT_EQ(segment_key(shape, packed.at(0), 0), 0x6162636465666768u);
  shape.segment_bytes = 3;
  shape.depth = 8;
  EXPECT_EQ(segment_key(shape, packed.at(0), 0x010203), 0x010203696A000000u);
  shape.count_bytes = 1;
  EXPECT_EQ(segment_key(shape, packed.at(0), 0x010203), 0x010203696A000002u);
}

}  // namespace
}  // namespace spillway
