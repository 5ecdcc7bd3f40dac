#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "io/file/memory_file.hpp"
#include "io/run/document_cursor.hpp"
#include "io/run/reader.hpp"
#include "io/run/writer.hpp"

namespace spillway {
namespace {

class RunDocumentCursorTest : public ::testing::Test {
 protected:
  void write(const std::vector<std::uint8_t>& stream, std::uint64_t count, bool has_stored_ids = true) {
    RunWriter writer(file, {}, kMinRunBlockBytes);
    writer.append_documents(stream);
    RunSummary summary;
    summary.document_count = count;
    summary.has_stored_ids = has_stored_ids;
    writer.finish(summary);
  }
  std::size_t count_documents(std::uint64_t max_document_bytes = RunDocumentCursor::kMaxDocumentBytes) {
    const RunReader reader(file);
    RunDocumentCursor cursor(reader, max_document_bytes);
    std::size_t count = 0;
    while (cursor.next()) ++count;
    EXPECT_FALSE(cursor.next());
    return count;
  }
  MemoryBudget budget{std::size_t{1} << 28};
  MemoryFile file{budget, "run"};
};

TEST_F(RunDocumentCursorTest, HasTheDocumentedBytes) {
  RunDocument document;
  document.fields = RunDocument::kId | RunDocument::kDate;
  document.length = 300;
  document.id = "d1";
  document.title = "not stored: its bit is not set";
  std::vector<std::uint8_t> stream;
  append_run_document(document, stream);
  EXPECT_EQ(stream, (std::vector<std::uint8_t>{9, 0xAC, 0x02, 2, 'd', '1', 0}));
}

TEST_F(RunDocumentCursorTest, TellsEmptyFieldsFromMissingOnes) {
  std::vector<std::uint8_t> stream;
  RunDocument document;
  document.fields = RunDocument::kTitle;
  append_run_document(document, stream);
  document.fields = 0;
  append_run_document(document, stream);
  write(stream, 2, false);
  const RunReader reader(file);
  RunDocumentCursor cursor(reader);
  ASSERT_TRUE(cursor.next());
  EXPECT_EQ(cursor.document().fields, RunDocument::kTitle);
  EXPECT_EQ(cursor.document().title, "");
  ASSERT_TRUE(cursor.next());
  EXPECT_EQ(cursor.document().fields, 0);
  EXPECT_FALSE(cursor.next());
}

TEST_F(RunDocumentCursorTest, ReadsDocumentsLargerThanManyBlocks) {
  std::string text(3'000'000, 'x');
  for (std::size_t i = 0; i < text.size(); i += 7) text[i] = static_cast<char>(i * 31);
  std::vector<std::uint8_t> stream;
  RunDocument document;
  document.fields = RunDocument::kId | RunDocument::kText;
  for (const char* id : {"one", "two"}) {
    document.id = id;
    document.text = text;
    append_run_document(document, stream);
    document.text = "short";
    append_run_document(document, stream);
  }
  write(stream, 4);
  const RunReader reader(file);
  RunDocumentCursor cursor(reader);
  for (const char* id : {"one", "two"}) {
    ASSERT_TRUE(cursor.next());
    EXPECT_EQ(cursor.document().id, id);
    EXPECT_TRUE(cursor.document().text == text);
    ASSERT_TRUE(cursor.next());
    EXPECT_EQ(cursor.document().text, "short");
  }
  EXPECT_FALSE(cursor.next());
  EXPECT_THROW(count_documents(1'000'000), FormatError);
}

TEST_F(RunDocumentCursorTest, LetsDroppedDocumentsPass) {
  std::vector<std::uint8_t> stream;
  RunDocument document;
  document.fields = RunDocument::kDropped;
  append_run_document(document, stream);
  write(stream, 1);
  const RunReader reader(file);
  RunDocumentCursor cursor(reader);
  ASSERT_TRUE(cursor.next());
  EXPECT_EQ(cursor.document().fields, RunDocument::kDropped);
}

TEST_F(RunDocumentCursorTest, RefusesFewerDocumentsThanTheFooterSays) {
  write({0, 0, 0, 0, 1, 1}, 3);  // the third document claims an id
  EXPECT_THROW(count_documents(), FormatError);
}

TEST_F(RunDocumentCursorTest, RefusesMoreBytesThanItsDocumentsHave) {
  write({0, 0, 0, 0, 0, 0}, 2);
  EXPECT_THROW(count_documents(), FormatError);
}

TEST_F(RunDocumentCursorTest, RefusesUnknownFields) {
  write({64, 0}, 1);
  EXPECT_THROW(count_documents(), FormatError);
}

TEST_F(RunDocumentCursorTest, RefusesATextHashOfAnotherSize) {
  write({32, 0, 2, 'h', 'h'}, 1);
  EXPECT_THROW(count_documents(), FormatError);
}

TEST_F(RunDocumentCursorTest, RefusesAnIdWhereTheFooterSaysThereIsNone) {
  write({1, 0, 0}, 1, false);
  EXPECT_THROW(count_documents(), FormatError);
}

TEST_F(RunDocumentCursorTest, RefusesLengthsBeyondTheRunBeforeItAllocates) {
  for (const std::vector<std::uint8_t>& stream :
       {std::vector<std::uint8_t>{1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, std::vector<std::uint8_t>{1, 0, 100, 'x', 'y'},
        std::vector<std::uint8_t>{1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01},
        std::vector<std::uint8_t>{1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}}) {
    MemoryFile other(budget, "run");
    RunWriter writer(other, {}, kMinRunBlockBytes);
    writer.append_documents(stream);
    RunSummary summary;
    summary.document_count = 1;
    summary.has_stored_ids = true;
    writer.finish(summary);
    const RunReader reader(other);
    RunDocumentCursor cursor(reader);
    EXPECT_THROW(cursor.next(), FormatError);
  }
}

TEST_F(RunDocumentCursorTest, RefusesALengthBeyond32Bits) {
  write({0, 0x80, 0x80, 0x80, 0x80, 0x10}, 1);
  EXPECT_THROW(count_documents(), FormatError);
}

}  // namespace
}  // namespace spillway
