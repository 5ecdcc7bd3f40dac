#include "io/postings/list_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <random>
#include <stdexcept>

#include "io/base/varint.hpp"
#include "io/postings/bit_packing.hpp"
#include "tests/support/sample_index.hpp"

namespace spillway {
namespace {

using testing::Posting;
using testing::Postings;

struct Encoded {
  ByteVector postings, bounds;
  bool operator==(const Encoded&) const = default;
};

void put(ByteVector& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<std::uint8_t>(value | 0x80));
  to.push_back(static_cast<std::uint8_t>(value));
}

// Follows docs/formats.md literally.
Encoded encode_naively(const Postings& postings, const std::vector<std::uint8_t>& codes) {
  Encoded to;
  std::uint64_t occurrences = 0;
  for (const Posting& posting : postings) occurrences += posting.second;
  std::uint32_t next = 0;
  for (std::size_t at = 0; at < postings.size(); at += 128) {
    const std::size_t count = std::min<std::size_t>(128, postings.size() - at);
    std::vector<std::uint32_t> gaps, rest;
    std::uint32_t most = 0;
    std::uint8_t least = 255;
    for (std::size_t i = at; i < at + count; ++i) {
      gaps.push_back(postings[i].first - next);
      rest.push_back(postings[i].second - 1);
      next = postings[i].first + 1;
      most = std::max(most, postings[i].second);
      least = std::min(least, codes[postings[i].first]);
    }
    unsigned gap_bits = 0, rest_bits = 0;
    if (count == 128) {
      gap_bits = static_cast<unsigned>(std::bit_width(*std::max_element(gaps.begin(), gaps.end())));
      rest_bits = static_cast<unsigned>(std::bit_width(*std::max_element(rest.begin(), rest.end())));
      if (postings.size() == 128) {
        to.postings.push_back(static_cast<std::uint8_t>(gap_bits));
        to.postings.push_back(static_cast<std::uint8_t>(rest_bits));
      }
      std::vector<std::uint8_t> packed(packed_bytes(gap_bits) + packed_bytes(rest_bits));
      pack_block_portable(gaps.data(), gap_bits, packed.data());
      pack_block_portable(rest.data(), rest_bits, packed.data() + packed_bytes(gap_bits));
      to.postings.insert(to.postings.end(), packed.begin(), packed.end());
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        if (occurrences == postings.size() || postings.size() == 1) {
          put(to.postings, gaps[i]);
        } else {
          put(to.postings, std::uint64_t{gaps[i]} * 2 + (rest[i] == 0 ? 1 : 0));
          if (rest[i] != 0) put(to.postings, rest[i] + 1ull);
        }
      }
    }
    if (postings.size() > 128) {
      const std::uint32_t last = next - 1;
      for (unsigned shift = 0; shift < 32; shift += 8) to.bounds.push_back(static_cast<std::uint8_t>(last >> shift));
      to.bounds.push_back(static_cast<std::uint8_t>(gap_bits));
      to.bounds.push_back(static_cast<std::uint8_t>(rest_bits));
      unsigned code = 0;
      while (frequency_of_code(static_cast<std::uint8_t>(code)) < most) ++code;
      to.bounds.push_back(static_cast<std::uint8_t>(code));
      to.bounds.push_back(least);
    }
  }
  return to;
}

constexpr std::uint32_t kDocuments = 400000;

std::vector<std::uint8_t> random_codes(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> codes(kDocuments);
  for (std::uint8_t& code : codes) code = static_cast<std::uint8_t>(random() % 248);
  return codes;
}

Postings random_list(std::size_t count, std::uint64_t most_gap, std::uint64_t most_frequency, std::mt19937_64& random) {
  Postings postings;
  std::uint64_t document = random() % most_gap;
  for (std::size_t i = 0; i < count; ++i) {
    postings.emplace_back(static_cast<std::uint32_t>(document),
                          static_cast<std::uint32_t>(1 + random() % most_frequency));
    document += 1 + random() % most_gap;
  }
  return postings;
}

void add(ListEncoder& encoder, const Postings& postings, std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> documents, frequencies;
  for (std::size_t i = begin; i < end; ++i) {
    documents.push_back(postings[i].first);
    frequencies.push_back(postings[i].second);
  }
  encoder.add(documents, frequencies);
}

TEST(ListEncoder, GivesTheBytesOfTheNaiveEncoderForEveryShortLength) {
  const auto codes = random_codes(1);
  std::mt19937_64 random(2);
  for (std::size_t count = 1; count <= 400; ++count) {
    for (const std::uint64_t most_frequency : {1ull, 3ull, 1ull << 32}) {
      const Postings postings = random_list(count, 1 + random() % 900, most_frequency, random);
      ListEncoder encoder(codes);
      encoder.begin("term");
      add(encoder, postings, 0, postings.size());
      encoder.end();
      const ListBatch batch = encoder.take();
      const Encoded expected = encode_naively(postings, codes);
      ASSERT_EQ(batch.postings, expected.postings) << count;
      ASSERT_EQ(batch.bounds, expected.bounds) << count;
      ASSERT_EQ(batch.entries.size(), 1u);
      const ListBatch::Entry& entry = batch.entries[0];
      std::uint64_t occurrences = 0;
      for (const Posting& posting : postings) occurrences += posting.second;
      EXPECT_TRUE(entry.starts && entry.ends);
      EXPECT_EQ(entry.document_count, count);
      EXPECT_EQ(entry.occurrence_count, occurrences);
      EXPECT_EQ(entry.posting_bytes, expected.postings.size());
      EXPECT_EQ(entry.bound_bytes, expected.bounds.size());
    }
  }
}

TEST(ListEncoder, GivesTheSameBytesHoweverPostingsComeAndBatchesAreTaken) {
  const auto codes = random_codes(3);
  std::mt19937_64 random(4);
  for (int round = 0; round < 60; ++round) {
    const std::size_t count = 1 + random() % (round % 2 == 0 ? 600 : 5000);
    const Postings postings = random_list(count, 60, 5, random);
    const Encoded expected = encode_naively(postings, codes);
    ListEncoder encoder(codes);
    encoder.begin("some term");
    Encoded found;
    std::string terms;
    std::size_t starts = 0, ends = 0;
    const auto take = [&] {
      const ListBatch batch = encoder.take();
      found.postings.insert(found.postings.end(), batch.postings.begin(), batch.postings.end());
      found.bounds.insert(found.bounds.end(), batch.bounds.begin(), batch.bounds.end());
      terms.append(batch.terms.begin(), batch.terms.end());
      for (const ListBatch::Entry& entry : batch.entries) {
        starts += entry.starts ? 1 : 0;
        ends += entry.ends ? 1 : 0;
      }
      EXPECT_EQ(encoder.batch_bytes(), 0u);
    };
    for (std::size_t at = 0; at < count;) {
      const std::size_t end = std::min(count, at + random() % 400);
      add(encoder, postings, at, end);
      at = end;
      if (random() % 3 == 0) take();
    }
    encoder.end();
    take();
    ASSERT_EQ(found, expected) << "round " << round << ", " << count << " postings";
    EXPECT_EQ(terms, "some term");
    EXPECT_EQ(starts, 1u);
    EXPECT_EQ(ends, 1u);
  }
}

// Batches are reused: a batch of short lists does not permanently keep the room of an earlier batch of long lists.
TEST(ListEncoder, HoldsLittleMoreThanItsBatchAndTheOneBefore) {
  const std::vector<std::uint8_t> codes(10, 0);
  ListEncoder encoder(codes, Positions::kStored);
  ListBatch used;
  std::size_t bytes_before = 0;
  for (int round = 0; round < 9; ++round) {
    const std::uint32_t frequency = round % 3 == 0 ? 100000 : 2;
    encoder.begin("term");
    encoder.add(std::vector<std::uint32_t>{5}, std::vector<std::uint32_t>{frequency});
    encoder.add_positions(std::vector<std::uint32_t>(frequency, 300));
    encoder.end();
    const std::size_t bytes = encoder.batch_bytes();
    used = encoder.take(std::move(used));
    EXPECT_LE(used.held_bytes(), 2 * (bytes + bytes_before) + 4096) << "round " << round;
    bytes_before = bytes;
  }
}

TEST(ListEncoder, LeavesNoTraceOfAnEmptyList) {
  const std::vector<std::uint8_t> codes(10, 0);
  ListEncoder encoder(codes);
  encoder.begin("nothing");
  encoder.add({}, {});
  encoder.end();
  EXPECT_EQ(encoder.batch_bytes(), 0u);
  EXPECT_TRUE(encoder.take().entries.empty());
}

TEST(ListEncoder, RefusesDocumentsThatDoNotAscendOrHaveNoLength) {
  const std::vector<std::uint8_t> codes(1000, 0);
  const auto encode = [&](std::uint32_t step_back, std::size_t at, std::size_t count) {
    ListEncoder encoder(codes);
    encoder.begin("t");
    std::vector<std::uint32_t> documents, frequencies(count, 1);
    for (std::uint32_t d = 0; d < count; ++d) documents.push_back(d);
    documents[at] -= step_back;
    encoder.add(documents, frequencies);
    encoder.end();
  };
  EXPECT_NO_THROW(encode(0, 5, 300));
  for (const std::size_t at : {1u, 127u, 128u, 129u, 299u}) EXPECT_THROW(encode(1, at, 300), std::logic_error) << at;
  EXPECT_THROW(encode(1, 1, 2), std::logic_error);
  EXPECT_THROW(encode(0, 1, 1001), std::logic_error);
  EXPECT_NO_THROW(encode(0, 1, 1000));
}

TEST(LengthCode, IsExactForSmallLengthsThenRoundsDownByLessThanAnEighth) {
  std::uint8_t last = 0;
  const auto check = [&](std::uint32_t length) {
    const std::uint8_t code = length_code(length);
    const std::uint32_t rounded = length_of_code(code);
    ASSERT_LE(rounded, length);
    ASSERT_GE(code, last);
    ASSERT_EQ(length_code(rounded), code);
    if (length < 32) {
      ASSERT_EQ(rounded, length);
    }
    ASSERT_LT(length - rounded, std::max(1u, length / 8 + 1));
    last = code;
  };
  for (std::uint32_t length = 0; length < 100000; ++length) check(length);
  for (std::uint64_t length = 100000; length < (std::uint64_t{1} << 32); length += length / 1000) {
    check(static_cast<std::uint32_t>(length));
  }
  check(std::numeric_limits<std::uint32_t>::max());
}

TEST(LengthCode, GivesEveryCodeItsOwnLength) {
  for (unsigned code = 1; code < 248; ++code) {
    EXPECT_LT(length_of_code(static_cast<std::uint8_t>(code - 1)), length_of_code(static_cast<std::uint8_t>(code)));
    EXPECT_EQ(length_code(length_of_code(static_cast<std::uint8_t>(code))), code);
  }
}

TEST(FrequencyCode, RoundsUpToTheNextCode) {
  std::uint8_t last = 0;
  const auto check = [&](std::uint32_t frequency) {
    const std::uint8_t code = frequency_code(frequency);
    ASSERT_GE(frequency_of_code(code), frequency);
    ASSERT_GE(code, last);
    if (code > 0) {
      ASSERT_LT(frequency_of_code(static_cast<std::uint8_t>(code - 1)), frequency);
    }
    last = code;
  };
  for (std::uint32_t frequency = 1; frequency < 100000; ++frequency) check(frequency);
  for (std::uint64_t frequency = 100000; frequency < (std::uint64_t{1} << 32); frequency += frequency / 1000) {
    check(static_cast<std::uint32_t>(frequency));
  }
  check(std::numeric_limits<std::uint32_t>::max());
}

}  // namespace
}  // namespace spillway
