#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "io/run/postings_decoder.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway {
namespace {

using namespace testing;

using Postings = std::vector<SamplePosting>;

RunEntry entry_of(const Postings& postings, const std::vector<std::uint8_t>& bytes) {
  RunEntry entry;
  entry.term = "term";
  entry.document_count = static_cast<std::uint32_t>(postings.size());
  for (const SamplePosting& posting : postings) entry.occurrence_count += posting.frequency;
  entry.last_document = postings.back().document;
  entry.postings = bytes;
  return entry;
}

using Decode = void (*)(const RunEntry&, std::string_view, std::vector<std::uint32_t>&, std::vector<std::uint32_t>&);

Postings decode_with(Decode decode, const RunEntry& entry) {
  // A copy without room after it, so that AddressSanitizer detects a read past the end.
  const std::vector<std::uint8_t> exact(entry.postings.begin(), entry.postings.end());
  RunEntry copy = entry;
  copy.postings = exact;
  std::vector<std::uint32_t> documents{1, 2, 3}, frequencies;
  decode(copy, "test", documents, frequencies);
  EXPECT_EQ(documents.size(), frequencies.size());
  Postings result;
  for (std::size_t i = 0; i < documents.size(); ++i) result.push_back({documents[i], frequencies[i]});
  return result;
}

// Both implementations agree, on valid and invalid bytes.
Postings decode(const RunEntry& entry) {
  std::optional<Postings> portable;
  try {
    portable = decode_with(decode_postings_portable, entry);
  } catch (const FormatError&) {
    EXPECT_THROW(decode_with(decode_postings, entry), FormatError);
    throw;
  }
  EXPECT_TRUE(decode_with(decode_postings, entry) == portable);
  return *portable;
}

// Gaps and frequencies of every width, in stretches of equal width and mixed.
Postings random_postings(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto gap_bits = static_cast<unsigned>(random() % 20), frequency_bits = static_cast<unsigned>(random() % 33);
  Postings postings;
  std::uint64_t document = random() % 2 == 0 ? 0 : random() % 1000;
  const std::size_t count = 1 + random() % 100;
  while (postings.size() < count && document <= 0xFFFFFFFF) {
    const std::uint64_t frequency =
        random() % 2 == 0 ? 1 : 1 + (random() & ((std::uint64_t{1} << frequency_bits) - 1)) % 0xFFFFFFFF;
    postings.push_back({static_cast<std::uint32_t>(document), static_cast<std::uint32_t>(frequency)});
    const unsigned bits = random() % 16 == 0 ? 32 : gap_bits;
    document += 1 + (random() & ((std::uint64_t{1} << bits) - 1));
  }
  return postings;
}

TEST(DecodePostings, GivesBackEveryShape) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Postings postings = random_postings(seed);
    ASSERT_TRUE(decode(entry_of(postings, encode_postings(postings))) == postings) << seed;
  }
}

Postings decode_in_stretches(const RunEntry& entry, PostingsDecoder::Steps steps, std::size_t most_room,
                             std::mt19937_64& random) {
  PostingsDecoder decoder(entry, "test", steps);
  Postings result;
  while (true) {
    // Exact room, so that AddressSanitizer detects a write past it.
    std::vector<std::uint32_t> documents(1 + random() % most_room), frequencies(documents.size());
    const std::size_t count = decoder.next(documents.data(), frequencies.data(), documents.size());
    for (std::size_t i = 0; i < count; ++i) result.push_back({documents[i], frequencies[i]});
    if (count == 0) return result;
  }
}

TEST(DecodePostings, GivesTheSameInStretchesOfAnySize) {
  std::mt19937_64 random(1);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Postings postings = random_postings(seed);
    const auto bytes = encode_postings(postings);
    const RunEntry entry = entry_of(postings, bytes);
    for (const auto steps : {PostingsDecoder::best_steps(), PostingsDecoder::Steps::kOne}) {
      for (const std::size_t most_room : {1u, 10u, 100u, 200u}) {
        ASSERT_TRUE(decode_in_stretches(entry, steps, most_room, random) == postings) << seed << " in " << most_room;
      }
    }
  }
}

// The caller looks up documents before the list has ended.
TEST(DecodePostings, HandsOutNoDocumentBehindTheLast) {
  std::mt19937_64 random(1);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Postings postings = random_postings(seed);
    if (postings.size() < 2) continue;
    const auto bytes = encode_postings(postings);
    RunEntry entry = entry_of(postings, bytes);
    entry.last_document = postings[random() % (postings.size() - 1)].document;
    for (const auto steps : {PostingsDecoder::best_steps(), PostingsDecoder::Steps::kOne}) {
      PostingsDecoder decoder(entry, "test", steps);
      std::uint32_t document = 0, frequency = 0, most = 0;
      EXPECT_THROW(while (decoder.next(&document, &frequency, 1) != 0) most = std::max(most, document), FormatError);
      EXPECT_LE(most, entry.last_document);
    }
  }
}

TEST(DecodePostings, TakesTheExtremes) {
  for (const Postings& postings : {Postings{{0, 1}}, Postings{{0, 0xFFFFFFFF}}, Postings{{0xFFFFFFFF, 0xFFFFFFFF}},
                                   Postings{{0, 1}, {0xFFFFFFFF, 1}}, Postings{{0, 2}, {1, 1}, {0xFFFFFFFE, 3}}}) {
    EXPECT_TRUE(decode(entry_of(postings, encode_postings(postings))) == postings);
  }
}

TEST(DecodePostings, RefusesWhatItsHeadDoesNotSay) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Postings postings = random_postings(seed);
    const auto bytes = encode_postings(postings);
    const auto refuses = [&](auto change) {
      RunEntry entry = entry_of(postings, bytes);
      change(entry);
      EXPECT_THROW(decode(entry), FormatError) << seed;
    };
    refuses([](RunEntry& p) { ++p.document_count; });
    refuses([](RunEntry& p) { --p.document_count; });
    refuses([](RunEntry& p) { p.document_count = 0xFFFFFFFF; });
    refuses([](RunEntry& p) { ++p.occurrence_count; });
    refuses([](RunEntry& p) { ++p.last_document; });
    refuses([](RunEntry& p) { p.postings = p.postings.first(p.postings.size() - 1); });
  }
}

TEST(DecodePostings, NamesPlaceAndTerm) {
  const Postings postings{{3, 1}};
  const auto bytes = encode_postings(postings);
  RunEntry entry = entry_of(postings, bytes);
  entry.last_document = 4;
  std::vector<std::uint32_t> documents, frequencies;
  try {
    decode_postings(entry, "run-7", documents, frequencies);
    FAIL();
  } catch (const FormatError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("run-7"), std::string::npos) << message;
    EXPECT_NE(message.find("\"term\""), std::string::npos) << message;
  }
}

// A list of `before` valid postings, a forged one and `after` valid ones, with a matching head.
void expect_refused(std::initializer_list<std::uint64_t> forged, std::uint64_t gap, std::uint64_t frequency) {
  for (const std::size_t before : {1u, 2u, 20u}) {
    for (const std::size_t after : {0u, 1u, 20u}) {
      std::vector<std::uint8_t> bytes;
      const auto add = [&](std::uint64_t value) {
        std::uint8_t number[kMaxVarintBytes];
        bytes.insert(bytes.end(), number, write_varint(number, value));
      };
      for (std::size_t i = 0; i < before; ++i) add(3);
      for (const std::uint64_t value : forged) add(value);
      for (std::size_t i = 0; i < after; ++i) add(3);
      RunEntry entry;
      entry.term = "forged";
      entry.postings = bytes;
      entry.document_count = static_cast<std::uint32_t>(before + 1 + after);
      entry.occurrence_count = before + frequency + after;
      entry.last_document = static_cast<std::uint32_t>(before + gap + after);
      EXPECT_THROW(decode(entry), FormatError) << before << " " << after;
    }
  }
}

TEST(DecodePostings, RefusesForgedPostings) {
  expect_refused({0 << 1 | 1}, 0, 1);                         // the previous document again
  expect_refused({0 << 1, 5}, 0, 5);                          // the previous document again, with a frequency
  expect_refused({1 << 1, 0}, 1, 0);                          // a frequency of 0
  expect_refused({1 << 1, 1}, 1, 1);                          // a frequency of 1 in the long form
  expect_refused({1 << 1, std::uint64_t{1} << 32}, 1, 0);     // a frequency beyond 32 bits that wraps to 0
  expect_refused({(std::uint64_t{1} << 33) + 3}, 1, 1);       // a gap that wraps to 1
  expect_refused({~std::uint64_t{0}}, ~std::uint64_t{0}, 1);  // a gap of all bits
}

TEST(DecodePostings, NeverReadsOutsideWhateverTheBytes) {
  std::mt19937_64 random(5);
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::uint8_t> bytes(1 + random() % 40);
    const std::uint64_t mask = round % 2 == 0 ? 0xFF : 0x7F;
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random() & mask);
    RunEntry entry;
    entry.term = "random";
    entry.postings = bytes;
    entry.document_count = static_cast<std::uint32_t>(1 + random() % bytes.size());
    entry.occurrence_count = random() % 100;
    entry.last_document = static_cast<std::uint32_t>(random() % 1000);
    try {
      decode(entry);
    } catch (const FormatError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 19'000u);
}

}  // namespace
}  // namespace spillway
