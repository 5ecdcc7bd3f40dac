#include "io/checksum/content_checksum.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

// Arithmetic from the definition, with 128-bit products and the remainder operator.
constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kBase = 0x0243F6A8885A308DULL;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % kPrime);
}

std::uint64_t naive_power(std::uint64_t exponent) {
  std::uint64_t result = 1, base = kBase;
  for (; exponent != 0; exponent >>= 1, base = times(base, base)) {
    if ((exponent & 1) != 0) result = times(result, base);
  }
  return result;
}

struct Occurrence {
  std::string term;
  std::uint64_t document;
};

ContentChecksum naive_sum(const std::vector<Occurrence>& occurrences) {
  ContentChecksum sum;
  for (const Occurrence& o : occurrences) {
    for (std::size_t lane = 0; lane < 2; ++lane) {
      const std::uint64_t share = times(hash_term(o.term)[lane], naive_power(o.document));
      sum.lanes[lane] = static_cast<std::uint64_t>((static_cast<unsigned __int128>(sum.lanes[lane]) + share) % kPrime);
    }
  }
  return sum;
}

// Computed as for an index: folded, by term, documents ascending.
ContentChecksum folded_sum(const std::vector<Occurrence>& occurrences) {
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> lists;
  for (const Occurrence& o : occurrences) ++lists[o.term][o.document];
  ContentChecksum sum;
  for (const auto& [term, postings] : lists) {
    DocumentWeight weight;
    for (const auto& [document, frequency] : postings) weight.add(document, frequency);
    sum.add(hash_term(term), weight.take());
  }
  return sum;
}

std::vector<Occurrence> random_occurrences(std::uint64_t seed, std::size_t count, std::uint64_t documents) {
  std::mt19937_64 random(seed);
  std::vector<Occurrence> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back({std::to_string(random() % 50), random() % documents});
  return result;
}

TEST(Field61, AgreesWithTheRemainderOperator) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> values{0, 1, 2, kPrime - 1, kPrime - 2, kPrime / 2};
  for (int i = 0; i < 100; ++i) values.push_back(random() % kPrime);
  for (const std::uint64_t a : values) {
    for (const std::uint64_t b : values) {
      ASSERT_EQ(field61::multiply(a, b), times(a, b));
      ASSERT_EQ(field61::add(a, b), (a + b) % kPrime);
    }
  }
  for (int i = 0; i < 10'000; ++i) {
    const auto wide = static_cast<unsigned __int128>(random()) << 64 | random();
    ASSERT_EQ(field61::reduce(wide), static_cast<std::uint64_t>(wide % kPrime));
  }
  const auto all_ones = ~static_cast<unsigned __int128>(0);
  EXPECT_EQ(field61::reduce(all_ones), static_cast<std::uint64_t>(all_ones % kPrime));
  EXPECT_EQ(field61::reduce(kPrime), 0u);
}

TEST(DocumentPower, IsThePowerOfTheBase) {
  for (const std::uint64_t document : {0ull, 1ull, 4095ull, 4096ull, 4097ull, (1ull << 24) - 1, 1ull << 24,
                                       (1ull << 24) + 1, 0x7FFFFFFFull, 0xFFFFFFFFull, 1ull << 40}) {
    EXPECT_EQ(document_power(document), naive_power(document)) << document;
  }
}

TEST(ContentChecksum, AgreesWithItsDefinition) {
  for (const std::uint64_t documents : {1ull, 100ull, 100'000ull, 0xFFFFFFFFull}) {
    const auto occurrences = random_occurrences(documents, 2000, documents);
    EXPECT_EQ(folded_sum(occurrences), naive_sum(occurrences)) << documents;
  }
}

TEST(ContentChecksum, OfNothingIsZero) { EXPECT_EQ(folded_sum({}), ContentChecksum{}); }

TEST(ContentChecksum, DoesNotChangeByFolding) {
  DocumentWeight folded, single;
  folded.add(5, 3);
  folded.add(70'000, 1'000'000);
  for (int i = 0; i < 3; ++i) single.add(5, 1);
  for (int i = 0; i < 1'000'000; ++i) single.add(70'000, 1);
  EXPECT_EQ(folded.take(), single.take());
}

TEST(ContentChecksum, TakesTheLargestFrequencies) {
  DocumentWeight weight;
  std::uint64_t expected = 0;
  for (std::uint64_t document = 0; document < 10'000; document += 7) {
    weight.add(document, 0xFFFFFFFF);
    expected = (expected + times(naive_power(document), 0xFFFFFFFF)) % kPrime;
  }
  EXPECT_EQ(weight.take(), expected);
  weight.add(0, 1);
  EXPECT_EQ(weight.take(), 1u) << "take() starts again";
}

TEST(ContentChecksum, JoinsPartsAtTheirBase) {
  const auto first = random_occurrences(1, 500, 300), second = random_occurrences(2, 500, 10'000);
  auto both = first;
  for (const Occurrence& o : second) both.push_back({o.term, o.document + 300});
  ContentChecksum joined = folded_sum(first);
  joined.join(folded_sum(second), 300);
  EXPECT_EQ(joined, naive_sum(both));
}

TEST(ContentChecksum, ShowsEveryKindOfChange) {
  const auto before = random_occurrences(3, 100, 50);
  const ContentChecksum sum = folded_sum(before);
  auto changed = before;
  changed.pop_back();
  EXPECT_NE(folded_sum(changed), sum);
  changed = before;
  changed[10].document ^= 1;
  EXPECT_NE(folded_sum(changed), sum);
  changed = before;
  changed[10].term += "x";
  EXPECT_NE(folded_sum(changed), sum);
  changed = before;
  std::swap(changed[0].document, changed[1].document);
  if (before[0].term != before[1].term && before[0].document != before[1].document) {
    EXPECT_NE(folded_sum(changed), sum);
  }
}

TEST(DocumentWeight, IsTheSameForAListAsForItsPostings) {
  std::mt19937_64 random(17);
  for (const auto& [most_gap, large_one_in] : std::vector<std::pair<std::uint32_t, int>>{
           {1, 3}, {3, 3}, {5000, 3}, {90000000, 3}, {1, 700}, {3, 700}, {50, 700}, {5000, 700}}) {
    std::vector<std::uint32_t> documents, frequencies;
    std::uint64_t document = random() % 5000;
    for (int i = 0; i < 5000 && document <= 0xFFFFFFFF; ++i, document += 1 + random() % most_gap) {
      documents.push_back(static_cast<std::uint32_t>(document));
      frequencies.push_back(i % large_one_in == 0 ? 0xFFFFFFFF : static_cast<std::uint32_t>(1 + random() % 9));
    }
    DocumentWeight one_by_one, list;
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < documents.size(); ++i) {
      one_by_one.add(documents[i], frequencies[i]);
      expected = field61::add(expected, field61::multiply(frequencies[i], document_power(documents[i])));
    }
    const std::size_t half = documents.size() / 2;
    list.add(std::span(documents).first(half), std::span(frequencies).first(half));
    list.add(std::span(documents).subspan(half), std::span(frequencies).subspan(half));
    EXPECT_EQ(one_by_one.take(), expected);
    EXPECT_EQ(list.take(), expected) << "gaps up to " << most_gap;
  }
}

TEST(DocumentWeight, TakesManyLargeFrequenciesAtOnce) {
  constexpr std::uint32_t kFrequency = 0xFFFF;
  std::vector<std::uint32_t> documents(1 << 20), frequencies(documents.size(), kFrequency);
  std::iota(documents.begin(), documents.end(), 0U);
  DocumentWeight one_by_one, list;
  for (const std::uint32_t document : documents) one_by_one.add(document, kFrequency);
  list.add(documents, frequencies);
  EXPECT_EQ(list.take(), one_by_one.take());
}

TEST(HashTerm, HasTwoLanesBelowThePrime) {
  EXPECT_NE(hash_term("a"), hash_term("b"));
  EXPECT_NE(hash_term("a"), hash_term(std::string_view("a\0", 2)));
  for (int i = 0; i < 1000; ++i) {
    const TermHash hash = hash_term(std::to_string(i));
    EXPECT_LT(hash[0], kPrime);
    EXPECT_LT(hash[1], kPrime);
    EXPECT_NE(hash[0], hash[1]);
  }
}

}  // namespace
}  // namespace spillway
