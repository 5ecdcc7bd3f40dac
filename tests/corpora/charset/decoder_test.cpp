#include "corpora/charset/decoder.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/corpora/charset/decode.hpp"
#include "tests/corpora/charset/encoding_samples.hpp"

namespace spillway::testing {
namespace {

Decoded decode_as(std::string_view encoding, std::string_view bytes, std::size_t first_piece = 0) {
  CharsetDecoder decoder;
  return decode(decoder, *find_encoding(encoding), {bytes.substr(0, first_piece), bytes.substr(first_piece)});
}

TEST(CharsetDecoder, DecodesEveryEncodingHoweverPiecesAreCut) {
  std::set<std::string_view> names;
  for (const EncodingSample& sample : kEncodingSamples) {
    names.insert(sample.encoding);
    for (std::size_t cut = 0; cut <= sample.bytes.size(); ++cut) {
      EXPECT_EQ(decode_as(sample.encoding, sample.bytes, cut), (Decoded{std::string(sample.text), false}))
          << sample.encoding << " cut at " << cut;
    }
  }
  EXPECT_EQ(names.size() + 2, all_encodings().size()) << "only utf-8 and replacement have no sample";
}

TEST(CharsetDecoder, ReplacesWhatIsBroken) {
  const std::string bad = "\xEF\xBF\xBD";
  const auto repaired = [&](std::string text) { return Decoded{std::move(text), true}; };
  EXPECT_EQ(decode_as("utf-8",
                      "a\xE6\xBC"
                      "b\xFF\xC0\xAF"),
            repaired("a" + bad + "b" + bad + bad + bad));
  EXPECT_EQ(decode_as("shift_jis", "a\x82"), repaired("a" + bad)) << "cut at the end";
  EXPECT_EQ(decode_as("shift_jis", "a\x82<b"), repaired("a" + bad + "<b")) << "a byte of ASCII is kept";
  EXPECT_EQ(decode_as("euc-jp", "\xA4\"b"), repaired(bad + "\"b"));
  EXPECT_EQ(decode_as("gbk",
                      "\x81\xFF"
                      "b")
                .repaired,
            true);
  EXPECT_EQ(decode_as("big5", "\xFF@"), repaired(bad + "@"));
  EXPECT_EQ(decode_as("euc-kr", "\xC8\x41"), repaired(bad + "A"));
  EXPECT_EQ(decode_as("utf-16le",
                      "a\0\xD8\xD8"
                      "b\0c"sv),
            repaired("a" + bad + "b" + bad));
  EXPECT_EQ(decode_as("utf-16be", "\xDC\x00"sv), repaired(bad));
  EXPECT_EQ(decode_as("iso-8859-7", "\xAE"), repaired(bad));
  EXPECT_EQ(decode_as("windows-1252", "\x81\x8D"), (Decoded{"\xC2\x81\xC2\x8D", false}));
}

TEST(CharsetDecoder, KeepsAscii) {
  std::string ascii;
  for (unsigned c = 0; c < 128; ++c) ascii += static_cast<char>(c);
  for (const Encoding& encoding : all_encodings()) {
    if (encoding.kind != EncodingKind::kAsciiSuperset) continue;
    EXPECT_EQ(decode_as(encoding.name, ascii), (Decoded{ascii, false})) << encoding.name;
    const Decoded mixed = decode_as(encoding.name, "\xE1" + ascii);
    EXPECT_EQ(mixed.text.substr(mixed.text.size() - 60), ascii.substr(68)) << encoding.name;
    EXPECT_EQ(mixed.text.find(ascii.substr(1, 60)) != std::string::npos, true) << encoding.name;
  }
}

TEST(CharsetDecoder, ReplacesAllOfAnInputThatMustNotBeDecoded) {
  EXPECT_EQ(decode_as("iso-2022-kr", "abc", 1), (Decoded{"\xEF\xBF\xBD", true}));
  EXPECT_EQ(decode_as("replacement", ""), (Decoded{"", false}));
}

// Bytes at random: the result is valid UTF-8 and does not depend on the pieces.
TEST(CharsetDecoder, MakesValidUtf8OfAnything) {
  std::mt19937 random(3);
  CharsetDecoder decoder;
  for (const Encoding& encoding : all_encodings()) {
    for (int round = 0; round < 60; ++round) {
      std::string bytes;
      const std::size_t count = random() % 700;
      for (std::size_t i = 0; i < count; ++i) {
        bytes += static_cast<char>(round % 3 == 0 ? random() : random() % 3 == 0 ? random() | 0x80 : random() % 0x80);
      }
      const Decoded whole = decode(decoder, encoding, {bytes});
      EXPECT_TRUE(is_valid_utf8(whole.text)) << encoding.name;
      const std::size_t cut = count == 0 ? 0 : random() % count;
      const std::string_view all = bytes;
      EXPECT_EQ(decode(decoder, encoding, {all.substr(0, cut), all.substr(cut)}), whole) << encoding.name;
      std::vector<std::string_view> single;
      for (std::size_t i = 0; i < count; ++i) single.push_back(all.substr(i, 1));
      EXPECT_EQ(decode(decoder, encoding, single), whole) << encoding.name;
    }
  }
}

TEST(CharsetDecoder, RepairsUtf8AsUtf8RepairerDoes) {
  std::mt19937 random(5);
  constexpr std::string_view kParts[] = {
      "a",    "\xE6\xBC\xA2", "\xE6\xBC",     "\xA2",    "\xF0\x9F\x98\x80", "\xF0\x9F\x98",
      "\xC3", "\xFF",         "\xED\xA0\x80", "\xE0\x80"};
  CharsetDecoder decoder;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string_view> pieces(1 + random() % 12);
    std::string bytes;
    for (std::string_view& piece : pieces) bytes += piece = kParts[random() % std::size(kParts)];
    const std::string expected = repair_utf8(bytes);
    EXPECT_EQ(decode(decoder, utf8_encoding(), pieces), (Decoded{expected, expected != bytes}));
    EXPECT_EQ(decode(decoder, utf8_encoding(), {bytes}), (Decoded{expected, expected != bytes}));
  }
}

}  // namespace
}  // namespace spillway::testing
