#include "indexer/byte_classes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/support/guarded_text.hpp"

namespace spillway {
namespace {

using testing::GuardedText;

bool belongs(unsigned c, WordBytes words) {
  static const std::string kAlphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  if (c >= 0x80) return words == WordBytes::kWithHighBytes;
  return kAlphanumeric.find(static_cast<char>(c)) != std::string::npos;
}

std::vector<std::uint64_t> expected_masks(std::string_view text, WordBytes words) {
  std::vector<std::uint64_t> masks((text.size() + 63) / 64);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (belongs(static_cast<std::uint8_t>(text[i]), words)) masks[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return masks;
}

std::vector<std::uint64_t> masks_of(std::string_view text, ClassifyFunction classify) {
  constexpr std::uint64_t kUntouched = 0x5A5A5A5A5A5A5A5AULL;
  const std::size_t count = (text.size() + 63) / 64;
  std::vector<std::uint64_t> masks(count + 1, kUntouched);
  classify(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), masks.data());
  EXPECT_EQ(masks.back(), kUntouched) << "wrote more than (count + 63) / 64 masks";
  masks.pop_back();
  return masks;
}

std::string random_bytes(std::mt19937_64& random, std::size_t count) {
  std::string bytes;
  while (bytes.size() < count) bytes.push_back(static_cast<char>(random()));
  return bytes;
}

class ByteClasses : public ::testing::TestWithParam<WordBytes> {
 protected:
  std::span<const NamedClassify> paths() const {
    std::size_t count = 0;
    const NamedClassify* const first = classify_functions(GetParam(), &count);
    return {first, count};
  }
};

TEST_P(ByteClasses, ListsThePortablePathFirstAndEachOnce) {
  ASSERT_GE(paths().size(), 2U);
  EXPECT_STREQ(paths()[0].name, "portable");
  std::set<std::string> names;
  for (const NamedClassify& path : paths()) names.insert(path.name);
  EXPECT_EQ(names.size(), paths().size());
  RecordProperty("paths", static_cast<int>(paths().size()));
}

TEST_P(ByteClasses, KnowsEveryByteAtEveryPlace) {
  for (const NamedClassify& path : paths()) {
    SCOPED_TRACE(path.name);
    for (unsigned c = 0; c < 256; ++c) {
      // The byte in the middle of others of the opposite kind, at each place of two mask words.
      const char other = belongs(c, GetParam()) ? ' ' : 'x';
      for (std::size_t at = 0; at < 128; ++at) {
        std::string text(128, other);
        text[at] = static_cast<char>(c);
        ASSERT_EQ(masks_of(text, path.function), expected_masks(text, GetParam())) << c << " at " << at;
      }
    }
  }
}

TEST_P(ByteClasses, IsRightForAllLengthsAndMisalignments) {
  std::mt19937_64 random(1);
  const std::string bytes = random_bytes(random, 300 + 64);
  for (const NamedClassify& path : paths()) {
    SCOPED_TRACE(path.name);
    for (std::size_t shift = 0; shift < 64; ++shift) {
      for (std::size_t count = 0; count <= 300; ++count) {
        const std::string_view text = std::string_view(bytes).substr(shift, count);
        ASSERT_EQ(masks_of(text, path.function), expected_masks(text, GetParam())) << shift << " " << count;
      }
    }
  }
}

TEST_P(ByteClasses, ReadsNothingOutsideTheText) {
  std::mt19937_64 random(2);
  for (std::size_t count = 0; count <= 300; ++count) {
    const GuardedText text(random_bytes(random, count));  // its end is a page's end
    for (const NamedClassify& path : paths()) {
      ASSERT_EQ(masks_of(text.view(), path.function), expected_masks(text.view(), GetParam())) << path.name;
    }
  }
  const GuardedText page(random_bytes(random, 4096));  // so is its beginning
  for (const NamedClassify& path : paths()) {
    ASSERT_EQ(masks_of(page.view(), path.function), expected_masks(page.view(), GetParam())) << path.name;
    for (std::size_t count = 0; count <= 130; ++count) {
      const std::string_view head = page.view().substr(0, count);
      ASSERT_EQ(masks_of(head, path.function), expected_masks(head, GetParam())) << path.name;
    }
  }
}

TEST_P(ByteClasses, ChoosesOneOfThePaths) {
  std::mt19937_64 random(3);
  const std::string text = random_bytes(random, 1000);
  EXPECT_EQ(masks_of(text, classify_function(GetParam())), expected_masks(text, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Words, ByteClasses, ::testing::Values(WordBytes::kAlphanumeric, WordBytes::kWithHighBytes),
                         [](const auto& param_info) {
                           return param_info.param == WordBytes::kAlphanumeric ? "Alphanumeric" : "WithHighBytes";
                         });

}  // namespace
}  // namespace spillway
