#include "corpora/parquet/snappy_decoder.hpp"

#include <gtest/gtest.h>
#include <snappy.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

using Bytes = std::string;

std::span<const std::uint8_t> view(const Bytes& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

Bytes packed(const Bytes& raw) {
  Bytes out;
  snappy::Compress(raw.data(), raw.size(), &out);
  return out;
}

// Returns what Google's library unpacks, or nothing where it refuses the page.
std::optional<Bytes> expected_of(const Bytes& stored) {
  Bytes out;
  return snappy::Uncompress(stored.data(), stored.size(), &out) ? std::optional(out) : std::nullopt;
}

// Unpacks in steps of up to `most` bytes, at least those of a copy, into memory without a byte to spare.
std::optional<Bytes> unpacked(const Bytes& stored, std::size_t most, std::mt19937& random) {
  SnappyDecoder decoder(view(stored));
  std::vector<std::uint8_t> memory(std::min<std::size_t>(decoder.raw_bytes(), std::size_t{1} << 22));
  std::size_t at = 0;
  for (bool goes_on = true; goes_on && decoder.state() == SnappyDecoder::State::kUsual;) {
    const std::size_t step = SnappyDecoder::kMostCopy + random() % most;
    const std::size_t end = decoder.unpack(memory.data(), at, std::min(memory.size(), at + step));
    goes_on = end != at;
    at = end;
  }
  return decoder.is_done() ? std::optional(Bytes(memory.begin(), memory.end())) : std::nullopt;
}

// Makes texts of few and of many distinct words, runs of one byte, short patterns, and bytes that do not repeat.
Bytes content(std::size_t bytes, std::mt19937& random) {
  Bytes out;
  while (out.size() < bytes) {
    const std::size_t length = 1 + random() % 300;
    switch (random() % 4) {
      case 0:
        out += Bytes(length, static_cast<char>(random()));
        break;
      case 1:
        for (std::size_t i = 0; i < length; ++i) out += static_cast<char>(random());
        break;
      case 2:
        for (std::size_t i = 0; i < length; ++i) out += "abcdefghijklmnop"[i % (1 + length % 16)];
        break;
      default:
        out += out.substr(out.size() - std::min<std::size_t>(out.size(), random() % 70'000), length);
    }
  }
  return out.substr(0, bytes);
}

TEST(SnappyDecoder, UnpacksWhatGooglesLibraryPacks) {
  std::mt19937 random(1);
  for (const std::size_t bytes : {0, 1, 3, 16, 60, 61, 79, 80, 81, 200, 3000, 65'536, 65'537, 300'000, 2'000'000}) {
    const Bytes raw = content(bytes, random), stored = packed(raw);
    for (const std::size_t most : {1, 100, 5000, 4'000'000}) {
      EXPECT_TRUE(unpacked(stored, most, random) == raw) << bytes << ", " << most;
    }
  }
}

TEST(SnappyDecoder, RefusesWhatGooglesLibraryRefuses) {
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes stored = packed(content(random() % 700, random));
    for (std::size_t changes = 1 + random() % 3; changes != 0 && !stored.empty(); --changes) {
      stored[random() % stored.size()] = static_cast<char>(random());
    }
    if (random() % 4 == 0) stored.resize(random() % (stored.size() + 1));
    if (SnappyDecoder(view(stored)).raw_bytes() > 1 << 20) continue;  // Google's library would take as much memory
    const std::optional<Bytes> expected = stored.empty() ? Bytes() : expected_of(stored);
    const std::optional<Bytes> found = unpacked(stored, 1 + random() % 500, random);
    ASSERT_TRUE(found == expected) << "case " << i;
    refused += expected ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

TEST(SnappyDecoder, TellsWhereACopyReachesTooFar) {
  std::mt19937 random(3);
  const Bytes raw = content(500, random), twice = raw + raw;
  const Bytes stored = packed(twice);
  SnappyDecoder decoder(view(stored));
  std::vector<std::uint8_t> memory(1000);
  const std::size_t first = decoder.unpack(memory.data(), 0, 500);
  EXPECT_GT(first + SnappyDecoder::kMostCopy, 500U);
  std::vector<std::uint8_t> next(1000);
  const std::size_t end = decoder.unpack(next.data(), 0, 1000);
  EXPECT_EQ(decoder.state(), SnappyDecoder::State::kTooFar);
  EXPECT_EQ(Bytes(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(end)), twice.substr(first, end));
  EXPECT_EQ(decoder.unpack(next.data(), end, 1000), end);
}

}  // namespace
}  // namespace spillway
