#include "io/checksum/position_weight.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "io/checksum/content_checksum.hpp"

namespace spillway {
namespace {

void check(const std::vector<std::uint32_t>& documents, const std::vector<std::uint64_t>& values) {
  std::vector<std::uint64_t> sums{0};
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    sums.push_back(sums.back() + values[i]);
    expected = field61::add(expected, field61::multiply(values[i] % field61::kPrime, document_power(documents[i])));
  }
  ASSERT_EQ(position_weight(documents, sums), expected);
  ASSERT_EQ(position_weight_portable(documents, sums), expected);
}

TEST(PositionWeight, IsTheSumOverPostings) {
  std::mt19937_64 random(5);
  for (const std::uint32_t most_gap : {1U, 3U, 700U, 5000U, 3000000U}) {
    for (const unsigned bits : {8U, 31U, 48U, 50U, 52U}) {
      for (std::size_t count = 0; count < 200; ++count) {
        std::vector<std::uint32_t> documents;
        std::vector<std::uint64_t> values;
        std::uint32_t document = static_cast<std::uint32_t>(random() % 10000);
        for (std::size_t i = 0; i < count; ++i, document += 1 + static_cast<std::uint32_t>(random() % most_gap)) {
          documents.push_back(document);
          values.push_back(random() >> (64 - bits + random() % 8));
        }
        check(documents, values);
      }
    }
  }
}

TEST(PositionWeight, TakesManyLargeValues) {
  std::vector<std::uint32_t> documents(1 << 18);
  for (std::size_t i = 0; i < documents.size(); ++i) documents[i] = static_cast<std::uint32_t>(i);
  check(documents, std::vector<std::uint64_t>(documents.size(), (std::uint64_t{1} << 46) - 1));
}

TEST(PositionWeight, TakesTheLastDocumentsAndTheirNeighbours) {
  const std::uint32_t border = 1U << 24;  // beyond it, powers are in no table
  std::vector<std::uint32_t> documents;
  for (std::uint32_t i = 0; i < 40; ++i) documents.push_back(border - 20 + i);
  for (std::uint32_t i = 0; i < 20; ++i) documents.push_back(0xFFFFFFFF - 19 + i);
  check(documents, std::vector<std::uint64_t>(documents.size(), 0x123456789ABC));
}

}  // namespace
}  // namespace spillway
