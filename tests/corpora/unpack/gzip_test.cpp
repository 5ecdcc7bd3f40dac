#include <gtest/gtest.h>

#include <random>
#include <set>

#include "corpora/unpack/unpacking_stream.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/unpack/packed_lines.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

std::vector<std::string> texts_of(const std::string& lines) { return read_lines(lines).texts(); }

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string random_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string bytes(count, '\0');
  for (char& c : bytes) c = static_cast<char>(random() | 0x80);
  return bytes;
}

TEST(Gzip, ManyMembersAreOneStream) {
  const std::string a = "one\ntw", b = "o\nthree\n", c = "four";
  EXPECT_EQ(read_lines(gzip_member(a) + gzip_member(b) + gzip_member("") + gzip_member(c)).texts(),
            texts_of(a + b + c));
}

TEST(Gzip, EmptyMembersAndPaddingAreNoFault) {
  const auto result = read_lines(gzip_member("") + gzip_member("one\n") + std::string(100000, '\0'));
  EXPECT_EQ(result.texts(), std::vector<std::string>{"one"});
  EXPECT_TRUE(result.skips.empty());
  const auto padded_between = read_lines(gzip_member("one\n") + std::string(512, '\0') + gzip_member("two\n"));
  EXPECT_EQ(padded_between.texts(), (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(padded_between.skips.empty());
  EXPECT_TRUE(read_lines(gzip_member("")).documents.empty());
}

TEST(Gzip, TrailingGarbageIsCountedOnceAndLeavesTheLastLineWhole) {
  for (const std::string& junk :
       {std::string("junk"), std::string("x"), random_bytes(1000000, 1), std::string("\x1F\x8B\x08")}) {
    const auto result = read_lines(gzip_member("one\ntwo") + junk);
    EXPECT_EQ(result.texts(), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kTrailingGarbage});
  }
}

TEST(Gzip, ContinuesAfterGarbageBetweenMembers) {
  const auto result = read_lines(gzip_member("one\n") + random_bytes(300000, 2) + gzip_member("two\n"));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kTrailingGarbage});
}

TEST(Gzip, ATruncatedMemberKeepsItsWholeRecords) {
  const std::string lines = numbered_lines(0, 20000);
  const std::string stored = gzip_member(lines);
  const auto all = texts_of(lines);
  for (const std::size_t kept : {stored.size() - 1, stored.size() - 8, stored.size() - 9, stored.size() / 2,
                                 stored.size() / 10, std::size_t{5}}) {
    const auto result = read_lines(stored.substr(0, kept));
    EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kGzipTruncated}) << kept;
    ASSERT_LE(result.documents.size(), all.size());
    for (std::size_t i = 0; i < result.documents.size(); ++i) ASSERT_EQ(result.documents[i].text, all[i]);
    if (kept >= stored.size() - 8) {
      EXPECT_EQ(result.documents.size(), all.size());
    }
    if (kept == stored.size() / 2) {
      EXPECT_GT(result.documents.size(), all.size() / 3);
    }
  }
}

TEST(Gzip, TheRecordThatIsCutIsDropped) {
  const auto result = read_lines(gzip_member("one\ntwo").substr(0, gzip_member("one\ntwo").size() - 1));
  EXPECT_EQ(result.texts(), std::vector<std::string>{"one"});
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kGzipTruncated});
}

TEST(Gzip, AWrongTrailerDropsASmallMemberAndGoesOn) {
  for (const std::size_t from_end : {1u, 4u, 5u, 8u}) {  // length, CRC
    std::string bad = gzip_member("two\n");
    bad[bad.size() - from_end] = static_cast<char>(bad[bad.size() - from_end] ^ 0x55);
    const auto result = read_lines(gzip_member("one\n") + bad + gzip_member("three\n") + gzip_member("four\n"));
    EXPECT_EQ(result.texts(), (std::vector<std::string>{"one", "three", "four"}));
    EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kGzipCorrupt});
  }
}

// A flipped bit in a member loses that member, never its neighbours.
TEST(Gzip, AnyFlippedByteCostsOneMemberOnly) {
  const std::string a = numbered_lines(0, 30), b = numbered_lines(30, 60), c = numbered_lines(60, 90);
  const std::string before = gzip_member(a), middle = gzip_member(b), after = gzip_member(c);
  for (std::size_t at = 0; at < middle.size(); ++at) {
    for (const int bit : {1, 0x80}) {
      if ((at >= 4 && at < 10) || (at == 3 && bit == 1)) continue;  // time, system and text flag are not checked
      std::string bad = middle;
      bad[at] = static_cast<char>(bad[at] ^ bit);
      bad.insert(0, before).append(after);
      const auto result = read_lines(bad);
      ASSERT_EQ(result.skips.size(), 1u) << at;
      ASSERT_EQ(result.texts(), joined(texts_of(a), texts_of(c))) << at;
    }
  }
}

TEST(Gzip, ALongBrokenMemberKeepsWhatWasProvedAndGoesOn) {
  const std::string lines = numbered_lines(0, 50000);
  std::string bad = gzip_member(lines);
  for (std::size_t i = 0; i < 16; ++i) bad[bad.size() * 3 / 4 + i] = static_cast<char>(0xFF);
  ReadResult first;
  for (const std::size_t buffer_bytes : {64u, 5000u, 1u << 20}) {
    const auto result = read_lines(bad + gzip_member("rest of a line\nlast\n"), buffer_bytes, 2);
    EXPECT_EQ(result.reasons(), (std::vector<SkipReason>{SkipReason::kGzipCorrupt, SkipReason::kRecordCut}));
    ASSERT_GT(result.documents.size(), 25000u);
    EXPECT_EQ(result.documents.back().text, "last");
    EXPECT_EQ(result.documents[20000].text, "line 20000 of many");
    if (buffer_bytes == 64) first = result;
    expect_same_documents(result, first);
  }
}

TEST(Gzip, HugeHeaderFieldsAreSkipped) {
  std::string stored("\x1F\x8B\x08\x0C\0\0\0\0\0\x03", 10);  // FEXTRA and FNAME
  stored += std::string("\xFF\xFF", 2) + std::string(65535, 'e');
  stored += std::string(3000000, 'n') + std::string(1, '\0');
  stored += gzip_member("one\n").substr(10);
  const auto result = read_lines(stored);
  EXPECT_EQ(result.texts(), std::vector<std::string>{"one"});
  EXPECT_TRUE(result.skips.empty());
}

TEST(Gzip, ABombIsReadInBoundedMemory) {
  std::string lines;
  lines.resize(30000000, 'x');
  const std::string stored = gzip_member(lines + "\nlast\n", 9);
  EXPECT_LT(stored.size() * 900, 30000000u);
  ReadSetup setup = setup_of(CorpusFormat::kLines, 1 << 16, 2);
  setup.options.max_document_bytes = 1000000;
  setup.budget_bytes = std::size_t{2} << 20;
  const auto result = read_input(stored, setup);
  EXPECT_EQ(result.texts(), std::vector<std::string>{"last"});
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kDocumentTooLong});
}

TEST(Gzip, WhatLooksLikeManyMembersCostsLinearTime) {
  std::string stored = gzip_member("one\n");
  const std::string start = gzip_member(random_bytes(2000, 3)).substr(0, 1000);
  while (stored.size() < 4000000) stored += start;
  const auto result = read_lines(stored + gzip_member("last\n"));
  EXPECT_FALSE(result.documents.empty());
  EXPECT_EQ(result.documents[0].text, "one");
  EXPECT_GE(result.skips.size(), 1u);
}

TEST(Gzip, RandomDamageNeverJoinsRecords) {
  std::mt19937_64 random(17);
  std::string stored;
  for (int i = 0; i < 40; ++i) stored += gzip_member(numbered_lines(i * 100, i * 100 + 100));
  const auto all = texts_of(numbered_lines(0, 4000));
  const std::set<std::string> good(all.begin(), all.end());
  for (int round = 0; round < 40; ++round) {
    std::string bad = stored;
    for (int i = 0; i < 5; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    if (round % 3 == 0) bad.resize(random() % bad.size());
    const auto result = read_lines(bad, 200, 2);
    for (const auto& text : result.texts()) ASSERT_TRUE(good.count(text) == 1) << text;
    expect_same_documents(read_lines(bad), result);
  }
}

TEST(Gzip, TextThatIsBrokenIsNoDocument) {
  const std::string stored = gzip_member("some text\n");
  const ReadSetup setup = setup_of(CorpusFormat::kText, 64);
  EXPECT_EQ(read_input(stored + "junk", setup).texts(), std::vector<std::string>{"some text\n"});
  EXPECT_TRUE(read_input(stored.substr(0, stored.size() - 2), setup).documents.empty());
  const auto twice = read_input(stored + "\x1F\x8B\x08\x01", setup);
  EXPECT_TRUE(twice.documents.empty());
  EXPECT_EQ(twice.reasons(), std::vector<SkipReason>{SkipReason::kGzipTruncated});
}

TEST(Gzip, BuffersAndThreadsDoNotMatter) {
  std::mt19937_64 random(9);
  std::string lines;
  for (int i = 0; i < 3000; ++i)
    lines +=
        std::string(random() % 5 == 0 ? random() % 2000 : random() % 50, 'a') + (random() % 2 == 0 ? "\r\n" : "\n");
  lines += "end";
  const auto whole = read_lines(lines);
  std::string stored;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t step = 1 + random() % 30000;
    stored += gzip_member(std::string_view(lines).substr(at, step));
    at += step;
  }
  for (const std::size_t buffer_bytes : {64u, 100u, 4096u, 1u << 20}) {
    for (const unsigned threads : {1u, 3u, 8u}) expect_same_documents(read_lines(stored, buffer_bytes, threads), whole);
  }
}

}  // namespace
}  // namespace spillway
