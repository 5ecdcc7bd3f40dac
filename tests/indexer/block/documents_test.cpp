#include "indexer/block/documents.hpp"

#include <gtest/gtest.h>

#include "io/base/bytes.hpp"
#include "io/base/checksum.hpp"
#include "io/base/error.hpp"
#include "io/file/memory_file.hpp"
#include "io/run/document_cursor.hpp"
#include "io/run/reader.hpp"
#include "tests/indexer/parse/parsed_documents.hpp"

namespace spillway {
namespace {

// A block of one document that is cut between chunks with the given numbers of tokens.
Block cut_document(std::initializer_list<std::uint32_t> lengths) {
  Block block;
  for (const std::uint32_t length : lengths) {
    ParsedChunk& chunk = block.chunks.emplace_back();
    chunk.document_count = 1;
    chunk.first_document_open = block.chunks.size() > 1;
    chunk.last_document_open = true;
    chunk.open_length = length;
  }
  return block;
}

std::uint32_t written_length(const Block& block) {
  MemoryBudget budget(std::size_t{1} << 20);
  MemoryFile file(budget, "run", 4096);
  RunWriter writer(file, {}, 4096);
  write_block_documents(block, writer);
  RunSummary summary;
  summary.document_count = 1;
  writer.finish(summary);
  const RunReader run(file);
  RunDocumentCursor cursor(run);
  EXPECT_TRUE(cursor.next());
  BlockDocumentCursor in_block(block);
  EXPECT_TRUE(in_block.next());
  EXPECT_EQ(in_block.document().length, cursor.document().length);
  EXPECT_FALSE(in_block.next());
  return cursor.document().length;
}

TEST(BlockDocuments, AddUpTheLengthOfACutDocument) {
  EXPECT_EQ(written_length(cut_document({5, 7, 1})), 13U);
  EXPECT_EQ(written_length(cut_document({0xFFFFFFF0, 0xF})), 0xFFFFFFFFU);
}

TEST(BlockDocuments, AreRefusedWhereTheyEndTooSoon) {
  Block block = cut_document({1});
  const std::uint8_t title_without_its_end[] = {5, 'a'};
  block.chunks[0].open_fields = RunDocument::kTitle;
  block.chunks[0].open_strings = title_without_its_end;
  BlockDocumentCursor cursor(block);
  EXPECT_THROW(cursor.next(), FormatError);
}

TEST(BlockDocuments, RefuseADocumentOfMoreTokensThanALengthHolds) {
  for (const auto& lengths : {std::initializer_list<std::uint32_t>{0xFFFFFFF0, 0x10}, {1, 2, 0xFFFFFFFF}}) {
    try {
      written_length(cut_document(lengths));
      ADD_FAILURE() << "no exception";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("--max-document-bytes"), std::string::npos) << error.what();
    }
  }
}

// Of each document, as a run and the block itself give it.
std::vector<std::string> text_hashes(const Block& block, std::uint64_t document_count) {
  MemoryBudget budget(std::size_t{1} << 24);
  MemoryFile file(budget, "run", 4096);
  RunWriter writer(file, {}, 4096);
  write_block_documents(block, writer);
  RunSummary summary;
  summary.document_count = document_count;
  summary.has_stored_ids = true;
  writer.finish(summary);
  const RunReader run(file);
  RunDocumentCursor in_run(run);
  BlockDocumentCursor in_block(block);
  std::vector<std::string> hashes;
  while (in_block.next()) {
    EXPECT_TRUE(in_run.next());
    EXPECT_EQ(in_block.document().fields, in_run.document().fields);
    EXPECT_EQ(in_block.document().title, in_run.document().title);
    EXPECT_EQ(in_block.document().text_hash, in_run.document().text_hash);
    hashes.emplace_back(in_run.document().text_hash);
  }
  EXPECT_FALSE(in_run.next());
  return hashes;
}

std::string expected_hash(const testing::OracleDocument& document) {
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(document.title.size());
  bytes += document.title + document.text;
  const Hash128 hash = hash128(bytes_of(bytes));
  return {hash.begin(), hash.end()};
}

TEST(BlockDocuments, HaveTheHashesOfTitleAndTextHoweverTheyAreCut) {
  std::vector<testing::OracleDocument> documents(5);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].id = "id" + std::to_string(i);
    if (i % 2 == 0) documents[i].title = "title";
    for (std::size_t word = 0; word < i * i * 200; ++word) documents[i].text += " word" + std::to_string(word % 997);
  }
  std::vector<std::string> expected;
  for (const auto& document : documents) expected.push_back(expected_hash(document));
  for (const ChunkForm form : {ChunkForm::kPostings, ChunkForm::kTables, ChunkForm::kTokens}) {
    for (const std::size_t fragment : {1, 70, 100000}) {
      MemoryBudget budget(testing::kTestBudget);
      testing::ParseSetting setting;
      setting.form = form;
      setting.longest_fragment = fragment;
      setting.hashes_texts = true;
      setting.limits.table_entries = 16;
      setting.limits.stream_words = 32;
      setting.limits.token_bytes = 500;
      Block block;
      block.chunks = testing::parse_documents(documents, setting, budget).chunks;
      EXPECT_GT(block.chunks.size(), 50U);
      EXPECT_EQ(text_hashes(block, documents.size()), expected);
    }
  }
}

}  // namespace
}  // namespace spillway
