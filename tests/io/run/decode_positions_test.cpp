#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "io/run/decode_positions.hpp"

namespace spillway {
namespace {

struct Encoded {
  std::vector<std::uint32_t> distances;
  std::vector<std::uint8_t> bytes;

  void add(std::uint32_t distance) {
    std::uint8_t varint[kMaxVarintBytes];
    bytes.insert(bytes.end(), varint, write_varint(varint, distance));
    distances.push_back(distance);
  }
  RunEntry entry() const {
    RunEntry entry;
    entry.term = "term";
    entry.document_count = 1;
    entry.occurrence_count = distances.size();
    entry.positions = bytes;
    return entry;
  }
};

// All lengths around the number of distances decoded at a time, with occasional longer distances.
TEST(DecodePositions, GivesWhatWasWritten) {
  std::mt19937_64 random(1);
  for (std::size_t count = 1; count < 600; ++count) {
    for (const unsigned most_bits : {7U, 14U, 21U, 32U}) {
      for (const unsigned rare : {1U, 40U}) {
        Encoded encoded;
        for (std::size_t i = 0; i < count; ++i) {
          const unsigned bits = random() % rare == 0 ? most_bits : 7;
          encoded.add(static_cast<std::uint32_t>(random() >> (64 - 1 - random() % bits)));
        }
        std::vector<std::uint32_t> found;
        decode_positions(encoded.entry(), "a run", found);
        ASSERT_EQ(found, encoded.distances) << count << " " << most_bits;
      }
    }
  }
}

TEST(DecodePositions, RefusesBytesThatEndEarlyOrLate) {
  Encoded encoded;
  for (std::uint32_t i = 0; i < 300; ++i) encoded.add(i * 3);
  std::vector<std::uint32_t> found;
  for (const std::ptrdiff_t cut : {1, 2, 100}) {
    Encoded shorter = encoded;
    shorter.bytes.erase(shorter.bytes.end() - cut, shorter.bytes.end());
    EXPECT_THROW(decode_positions(shorter.entry(), "a run", found), FormatError) << cut;
  }
  encoded.bytes.push_back(0);
  EXPECT_THROW(decode_positions(encoded.entry(), "a run", found), FormatError);
}

TEST(DecodePositions, RefusesADistanceAbove32Bits) {
  Encoded encoded;
  for (std::uint32_t i = 0; i < 200; ++i) encoded.add(5);
  std::uint8_t varint[kMaxVarintBytes];
  encoded.bytes.insert(encoded.bytes.begin() + 70, varint, write_varint(varint, std::uint64_t{1} << 32));
  encoded.distances.push_back(0);
  std::vector<std::uint32_t> found;
  EXPECT_THROW(decode_positions(encoded.entry(), "a run", found), FormatError);
}

}  // namespace
}  // namespace spillway
