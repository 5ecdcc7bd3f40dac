#include "indexer/block/documents.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "io/file/memory_file.hpp"
#include "io/run/document_cursor.hpp"
#include "io/run/reader.hpp"

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

}  // namespace
}  // namespace spillway
