#include "io/postings/unpacked_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace spillway {
namespace {

struct Postings {
  std::vector<std::uint32_t> documents, frequencies;
};

Postings random_postings(std::mt19937_64& random, std::uint32_t first, std::size_t count, std::uint32_t most_gap) {
  Postings postings;
  for (std::uint32_t document = first; postings.documents.size() < count;) {
    document += static_cast<std::uint32_t>(random() % most_gap);
    postings.documents.push_back(document++);
    postings.frequencies.push_back(random() % 3 == 0 ? static_cast<std::uint32_t>(random() >> 32) | 1 : 1);
  }
  return postings;
}

TEST(UnpackedBlock, IsTheSameWithAndWithoutVectors) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    const auto next = static_cast<std::uint32_t>(random() % 1000);
    const Postings postings = random_postings(random, next, kPackedBlock, 1U << random() % 23);
    const UnpackedBlock block = shape_block(postings.documents.data(), postings.frequencies.data(), next);
    const UnpackedBlock expected = shape_block_portable(postings.documents.data(), postings.frequencies.data(), next);
    ASSERT_EQ(block.gaps, expected.gaps) << round;
    ASSERT_EQ(block.rest, expected.rest);
    EXPECT_EQ(block.gap_bits, expected.gap_bits);
    EXPECT_EQ(block.rest_bits, expected.rest_bits);
    EXPECT_EQ(block.most, expected.most);
  }
}

TEST(SumOf, IsOfAllNumbersWhateverTheirCountAndSize) {
  std::mt19937_64 random(3);
  for (std::size_t count = 0; count < 70; ++count) {
    std::vector<std::uint32_t> numbers(count);
    std::uint64_t expected = 0;
    for (std::uint32_t& number : numbers) expected += number = static_cast<std::uint32_t>(random() >> random() % 64);
    EXPECT_EQ(sum_of(numbers), expected) << count;
  }
}

TEST(LeastCode, IsThatOfTheDocumentsAlone) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    const Postings postings = random_postings(random, 0, 1 + random() % 128, 1U << random() % 6);
    // All other codes are lower; the last document may have the last code.
    std::vector<std::uint8_t> codes(postings.documents.back() + 1 + random() % 6, 3);
    std::uint8_t expected = 255;
    for (const std::uint32_t document : postings.documents) {
      codes[document] = static_cast<std::uint8_t>(10 + random() % 200);
      expected = std::min(expected, codes[document]);
    }
    EXPECT_EQ(least_code(postings.documents, codes), expected) << round;
    EXPECT_EQ(least_code_portable(postings.documents, codes), expected);
  }
}

}  // namespace
}  // namespace spillway
