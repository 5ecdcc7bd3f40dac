#include "io/checksum/scattered_weight.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "io/checksum/content_checksum.hpp"

namespace spillway {
namespace {

struct Postings {
  std::vector<std::uint32_t> documents, frequencies;
  std::uint64_t weight(std::size_t count) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum = field61::add(sum, field61::multiply(document_power(documents[i]), frequencies[i]));
    }
    return sum;
  }
};

Postings make_postings(std::mt19937_64& random, std::size_t count, std::uint32_t most_frequency) {
  Postings postings;
  const std::uint32_t most_gap = (1U << 24) / static_cast<std::uint32_t>(count);
  for (std::uint32_t document = 0; postings.documents.size() < count; ++document) {
    document += static_cast<std::uint32_t>(random() % most_gap);
    postings.documents.push_back(document);
    postings.frequencies.push_back(static_cast<std::uint32_t>(1 + random() % most_frequency));
  }
  return postings;
}

TEST(ScatteredWeight, IsTheSumOfThePostingsThatItTakes) {
  std::mt19937_64 random(1);
  std::size_t taken = 0;
  for (std::size_t count = 1; count < 1200; count += 1 + count / 9) {
    for (const std::uint32_t most_frequency : {1U, 7U}) {
      const Postings postings = make_postings(random, count, most_frequency);
      const ScatteredWeight weight = weigh_scattered(postings.documents, postings.frequencies);
      EXPECT_EQ(weight.weight, postings.weight(weight.count)) << count << " postings";
      EXPECT_LE(weight.count, count);
      taken += weight.count;
    }
  }
  if (taken == 0) GTEST_SKIP() << "this CPU has no AVX-512 IFMA";
}

TEST(ScatteredWeight, IsOfTheFirstPostingsUpToALargeFrequency) {
  std::mt19937_64 random(2);
  for (std::size_t large = 0; large < 60; ++large) {
    Postings postings = make_postings(random, 60, 7);
    postings.frequencies[large] = large % 2 == 0 ? 8 : 0xFFFFFFFF;
    const ScatteredWeight weight = weigh_scattered(postings.documents, postings.frequencies);
    EXPECT_LE(weight.count, large);
    EXPECT_EQ(weight.weight, postings.weight(weight.count)) << large;
  }
}

// DocumentWeight gives the same sum, whichever of its paths takes a posting.
TEST(ScatteredWeight, IsAPartOfTheWeightOfAList) {
  std::mt19937_64 random(3);
  for (const std::size_t count : {4U, 9U, 100U, 1023U, 1024U, 1025U, 3000U}) {
    for (int round = 0; round < 20; ++round) {
      Postings postings = make_postings(random, count, 7);
      for (std::uint32_t& frequency : postings.frequencies) {
        if (random() % 50 == 0) frequency = static_cast<std::uint32_t>(random() >> (32 + random() % 31)) | 1;
      }
      if (round % 2 == 1) postings.documents.back() = (1U << 24) + static_cast<std::uint32_t>(random() % 5000);
      DocumentWeight weight;
      weight.add(postings.documents, postings.frequencies);
      EXPECT_EQ(weight.take(), postings.weight(count)) << count << " postings, round " << round;
    }
  }
}

}  // namespace
}  // namespace spillway
