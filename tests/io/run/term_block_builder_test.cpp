#include <gtest/gtest.h>

#include "io/run/term_block_builder.hpp"

namespace spillway {
namespace {

RunEntry entry_of(std::string_view term, std::span<const std::uint8_t> postings) {
  RunEntry entry;
  entry.term = term;
  entry.document_count = 1;
  entry.occurrence_count = 1;
  entry.postings = postings;
  return entry;
}

TEST(TermBlockBuilder, HasTheDocumentedBytes) {
  TermBlockBuilder builder(kMinRunBlockBytes, false);
  const std::vector<std::uint8_t> postings{0x03};
  RunEntry entry = entry_of("abc", postings);
  entry.last_document = 1;
  builder.add(entry);
  entry.term = "abd";
  entry.occurrence_count = 200;
  builder.add(entry);
  const TermBlock block = builder.finish();
  const std::vector<std::uint8_t> expected{0, 3, 'a', 'b', 'c',  1,    0, 1, 1,   0x03,  //
                                           2, 1, 'd', 1,   0xC7, 0x01, 1, 1, 0x03};
  EXPECT_EQ(block.payload, expected);
  EXPECT_EQ(block.first_term, "abc");
  EXPECT_EQ(block.entry_count, 2u);
  EXPECT_EQ(block.posting_count, 2u);
  EXPECT_EQ(block.occurrence_count, 201u);
  EXPECT_EQ(block.longest_term_bytes, 3u);
  EXPECT_TRUE(builder.empty());
}

TEST(TermBlockBuilder, StoresPositionsBehindPostings) {
  TermBlockBuilder builder(kMinRunBlockBytes, true);
  const std::vector<std::uint8_t> postings{0x03}, positions{7, 8};
  RunEntry entry = entry_of("a", postings);
  entry.last_document = 1;
  entry.positions = positions;
  builder.add(entry);
  const std::vector<std::uint8_t> expected{0, 1, 'a', 1, 0, 1, 1, 2, 0x03, 7, 8};
  EXPECT_EQ(builder.finish().payload, expected);
}

TEST(TermBlockBuilder, LeavesRoomForBytesThatTheCallerFillsIn) {
  TermBlockBuilder whole(kMinRunBlockBytes, true), filled(kMinRunBlockBytes, true);
  const std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5};
  RunEntry entry = entry_of("a", std::span(bytes).first(3));
  entry.positions = std::span(bytes).subspan(3);
  whole.add(entry);
  std::copy(bytes.begin(), bytes.end(), filled.add(entry, 3, 2));
  EXPECT_TRUE(std::equal(entry.postings.begin(), entry.postings.end(), bytes.begin(), bytes.begin() + 3));
  EXPECT_TRUE(std::equal(entry.positions.begin(), entry.positions.end(), bytes.begin() + 3, bytes.end()));
  EXPECT_EQ(filled.finish().payload, whole.finish().payload);
}

TEST(TermBlockBuilder, AlwaysHasRoomInAnEmptyBlock) {
  for (const std::size_t block_bytes : {kMinRunBlockBytes, std::size_t{65536}, kMaxRunBlockBytes}) {
    for (const std::size_t term_bytes : {1u, 255u, 4000u, 4096u, 65535u}) {
      TermBlockBuilder builder(block_bytes, true);
      const std::string term(term_bytes, 't');
      const std::size_t room = builder.room(term);
      ASSERT_GE(room, block_bytes / 4);
      const std::vector<std::uint8_t> filling(room, 1);
      RunEntry entry = entry_of(term, std::span(filling).first(room / 2));
      entry.positions = std::span(filling).subspan(room / 2);
      entry.document_count = 0xFFFFFFFF;
      entry.occurrence_count = ~std::uint64_t{0};
      entry.last_document = 0xFFFFFFFF;
      builder.add(entry);
      const TermBlock block = builder.finish();
      EXPECT_LE(block.payload.size(), TermBlockBuilder::max_block_bytes(block_bytes, term_bytes));
      EXPECT_LE(block.payload.size(), kMaxRunBlockBytes);
    }
  }
}

TEST(TermBlockBuilder, StaysInItsBlockOnceItHoldsAnEntry) {
  TermBlockBuilder builder(kMinRunBlockBytes, false);
  const std::vector<std::uint8_t> filling(kMinRunBlockBytes, 1);
  std::size_t entries = 0;
  for (std::string term = "a"; builder.room(term) > 0; term += 'a', ++entries) {
    builder.add(entry_of(term, std::span(filling).first(std::min<std::size_t>(50, builder.room(term)))));
  }
  EXPECT_GT(entries, 20u);
  EXPECT_EQ(builder.room(std::string(65535, 'z')), 0u);
  EXPECT_LE(builder.finish().payload.size(), kMinRunBlockBytes);
}

TEST(TermBlockBuilder, RefusesOurOwnMistakes) {
  const std::vector<std::uint8_t> postings(kMinRunBlockBytes, 1);
  const auto small = std::span(postings).first(1);
  const auto refuses = [&](auto change) {
    TermBlockBuilder builder(kMinRunBlockBytes, false);
    builder.add(entry_of("m", small));
    RunEntry entry = entry_of("n", small);
    change(entry);
    EXPECT_THROW(builder.add(entry), std::logic_error);
    EXPECT_EQ(builder.finish().entry_count, 1u);
  };
  const std::string too_long(65536, 'n');
  refuses([](RunEntry& p) { p.term = "l"; });
  refuses([](RunEntry& p) { p.term = ""; });
  refuses([&](RunEntry& p) { p.term = too_long; });
  refuses([](RunEntry& p) { p.document_count = 0; });
  refuses([](RunEntry& p) { p.occurrence_count = 0; });
  refuses([&](RunEntry& p) { p.postings = postings; });
  refuses([&](RunEntry& p) { p.positions = small; });
  EXPECT_THROW(TermBlockBuilder(kMinRunBlockBytes - 1, false), std::logic_error);
  EXPECT_THROW(TermBlockBuilder(kMaxRunBlockBytes + 1, false), std::logic_error);
}

}  // namespace
}  // namespace spillway
