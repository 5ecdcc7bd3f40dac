#include "corpora/arrow/stream.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "tests/corpora/arrow/producer.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

ReadSetup setup_of(std::shared_ptr<ArrowStream> stream, unsigned threads = 1, std::size_t buffer_bytes = 1 << 20) {
  ReadSetup setup;
  setup.options.arrow = std::move(stream);
  setup.limits.threads = threads;
  setup.limits.buffer_bytes = buffer_bytes;
  return setup;
}

ReadResult read_rows(std::shared_ptr<ArrowStream> stream, unsigned threads = 1, std::size_t buffer_bytes = 1 << 20) {
  return read_corpus({}, setup_of(std::move(stream), threads, buffer_bytes));
}

ProducedBatch numbered(int first, int last, const std::string& format = "u") {
  ProducedBatch batch{{{"id", "l", {}}, {"text", format, {}}, {"unused", "l", {}}}};
  for (int i = first; i < last; ++i) {
    batch.columns[0].cells.push_back(std::to_string(i));
    batch.columns[1].cells.push_back("the text of document " + std::to_string(i));
    batch.columns[2].cells.push_back("7");
  }
  return batch;
}

// Expects the documents [0, count) of numbered().
void expect_numbered(const ReadResult& result, std::size_t count) {
  ASSERT_EQ(result.documents.size(), count);
  EXPECT_TRUE(result.skips.empty());
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(result.documents[i].id, std::to_string(i));
    ASSERT_EQ(result.documents[i].text, "the text of document " + std::to_string(i));
    ASSERT_EQ(result.documents[i].path, "rows");
    ASSERT_EQ(result.documents[i].offset, i);
  }
}

TEST(ArrowStream, RowsAreDocumentsWithAllFields) {
  const std::string euro = "\xE2\x82\xAC", long_text(5000, 'x');
  for (const std::string format : {"u", "U", "vu", "z", "Z", "vz"}) {
    const auto result = read_rows(ArrowProducer::open({{{{"id", format, {"a", "b", "a longer id than 12 bytes"}},
                                                         {"title", format, {"t", std::nullopt, ""}},
                                                         {"text", format, {euro, "", long_text}},
                                                         {"url", format, {"u", std::nullopt, "v"}},
                                                         {"date", format, {std::nullopt, "d", std::nullopt}}}}}));
    ASSERT_EQ(result.documents.size(), 3u) << format;
    EXPECT_EQ(result.texts(), (std::vector<std::string>{euro, "", long_text}));
    EXPECT_EQ(result.ids(), (std::vector<std::string>{"a", "b", "a longer id than 12 bytes"}));
    EXPECT_TRUE(result.documents[0].has_title && !result.documents[1].has_title && result.documents[2].has_title);
    EXPECT_TRUE(result.documents[0].has_url && !result.documents[1].has_url);
    EXPECT_EQ(result.documents[1].date, "d");
    EXPECT_GE(result.consumed, long_text.size());
  }
}

TEST(ArrowStream, BatchesOfAnySizeMakeTheSameDocuments) {
  for (const unsigned threads : {1u, 4u}) {
    for (const int rows : {1, 3, 100, 1000}) {
      for (const std::size_t buffer_bytes : {100u, 4096u, 1u << 20}) {
        const auto counts = std::make_shared<ProducedCounts>();
        const auto next = [rows](int number) {
          return number * rows >= 1000 ? std::nullopt
                                       : std::optional(numbered(number * rows, std::min(1000, (number + 1) * rows)));
        };
        expect_numbered(read_rows(ArrowProducer::open(numbered(0, 0).columns, next, counts), threads, buffer_bytes),
                        1000);
        EXPECT_EQ(counts->released, counts->made);
      }
    }
  }
}

TEST(ArrowStream, SlicesAreReadFromTheirOffset) {
  for (const std::string format : {"u", "U", "vu"}) {
    ProducedBatch batch = numbered(-5, 100, format);
    batch.skipped = 2;
    batch.child_skipped = 3;
    batch.columns[1].cells[0] = std::nullopt;
    expect_numbered(read_rows(ArrowProducer::open({batch})), 100);
  }
}

TEST(ArrowStream, EmptyStreamsAndBatchesHaveNoDocuments) {
  EXPECT_TRUE(read_rows(ArrowProducer::open({numbered(0, 0)})).documents.empty());
  EXPECT_TRUE(
      read_rows(ArrowProducer::open(numbered(0, 0).columns, [](int) { return std::nullopt; })).documents.empty());
  expect_numbered(read_rows(ArrowProducer::open({numbered(0, 0), numbered(0, 5), numbered(0, 0), numbered(5, 7)}), 3),
                  7);
}

TEST(ArrowStream, RowsThatMakeNoDocumentAreSkippedAsInJsonl) {
  ReadSetup setup = setup_of(ArrowProducer::open({{{{"id", "u", {std::nullopt, "", "a", std::string(65536, 'i'), "b"}},
                                                    {"text", "u", {"x", "x", std::nullopt, "x", "12345678901"}}}}}));
  setup.options.max_document_bytes = 10;
  const auto result = read_corpus({}, setup);
  EXPECT_TRUE(result.documents.empty());
  EXPECT_EQ(result.reasons(), (std::vector{SkipReason::kMissingId, SkipReason::kMissingId, SkipReason::kMissingText,
                                           SkipReason::kIdTooLong, SkipReason::kDocumentTooLong}));
  EXPECT_EQ(result.skips[4].offset, 4u);
}

TEST(ArrowStream, BrokenTextIsRepairedAndLongTitlesBeginTheText) {
  const std::string long_title(70000, 't');
  const auto result = read_rows(ArrowProducer::open(
      {{{{"id", "u", {"a\xFF", "b"}}, {"title", "u", {"t", long_title}}, {"text", "u", {"x\xC3 y", "text"}}}}}));
  ASSERT_EQ(result.documents.size(), 2u);
  EXPECT_EQ(result.documents[0].id, "a\xEF\xBF\xBD");
  EXPECT_EQ(result.documents[0].text, "x\xEF\xBF\xBD y");
  EXPECT_TRUE(result.documents[0].repaired && !result.documents[1].repaired);
  EXPECT_EQ(result.documents[1].text, long_title + "\ntext");
}

TEST(ArrowStream, TheFirstNameThatARowHasCounts) {
  const auto result = read_rows(ArrowProducer::open({{{{"docid", "l", {"-1", "2"}},
                                                       {"id", "u", {std::nullopt, "x"}},
                                                       {"contents", "u", {"c", "c"}},
                                                       {"text", "u", {std::nullopt, "t"}}}}}));
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"-1", "x"}));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"c", "t"}));
}

TEST(ArrowStream, HoldsFewBatchesAtATime) {
  const auto counts = std::make_shared<ProducedCounts>();
  const auto next = [](int number) {
    return number == 200 ? std::nullopt : std::optional(numbered(number * 50, number * 50 + 50));
  };
  // A batch has about 2.5 KB; three tasks of 4 KiB are held.
  expect_numbered(read_rows(ArrowProducer::open(numbered(0, 0).columns, next, counts), 1, 4096), 10000);
  EXPECT_LE(counts->most_held, 6);
  EXPECT_EQ(counts->released, 200);
}

TEST(ArrowStream, ABatchThatIsLargerThanAllBuffersIsTakenAlone) {
  const auto counts = std::make_shared<ProducedCounts>();
  const auto next = [](int number) {
    return number == 10 ? std::nullopt : std::optional(numbered(number * 500, number * 500 + 500));
  };
  expect_numbered(read_rows(ArrowProducer::open(numbered(0, 0).columns, next, counts), 2, 1000), 5000);
  EXPECT_EQ(counts->most_held, 1);
}

TEST(ArrowStream, ErrorsOfTheProducerComeInItsWords) {
  const auto next = [](int number) -> std::optional<ProducedBatch> {
    if (number == 3) throw EIO;
    return numbered(number * 10, number * 10 + 10);
  };
  const auto counts = std::make_shared<ProducedCounts>();
  try {
    read_rows(ArrowProducer::open(numbered(0, 0).columns, next, counts), 2, 100);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_STREQ(error.what(), "rows: reading the batch from row 30 on failed: the disk\\x1B is gone");
  }
  EXPECT_EQ(counts->released, 3);
}

TEST(ArrowStream, StopsWhileTheProducerIsAhead) {
  const auto stream = ArrowProducer::open(numbered(0, 0).columns, [](int number) {
    return std::optional(numbered(number, number + 1));  // without an end
  });
  const ReadSetup setup = setup_of(stream, 2, 1000);
  const CorpusPlan plan = plan_corpus(posix_file_system(), {}, setup.options);
  MemoryBudget budget(setup.budget_bytes);
  CorpusReader reader({posix_file_system(), plan, setup.options, setup.limits}, budget, shared_temp_space());
  CorpusTask task;
  ASSERT_TRUE(reader.next(task));
  EXPECT_EQ(task.number, 0u);
  reader.stop();
  EXPECT_FALSE(reader.next(task));
}

TEST(ArrowStream, IsReadOnce) {
  const auto stream = ArrowProducer::open({numbered(0, 5)});
  expect_numbered(read_rows(stream), 5);
  EXPECT_TRUE(read_rows(stream).documents.empty());
}

TEST(ArrowStream, GoesWithNeitherFilesNorParts) {
  ReadSetup setup = setup_of(ArrowProducer::open({numbered(0, 5)}));
  EXPECT_THROW(plan_corpus(posix_file_system(), {"a.jsonl"}, setup.options), UsageError);
  setup.options.part_count = 2;
  EXPECT_THROW(plan_corpus(posix_file_system(), {}, setup.options), UsageError);
}

std::string refusal_of(const std::vector<ProducedColumn>& columns) {
  try {
    read_rows(ArrowProducer::open({{columns}}));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ArrowSchema, NamesTheColumnThatCannotBeAField) {
  EXPECT_EQ(refusal_of({{"name", "u"}, {"text", "u"}}),
            "rows: expected a column of ids named 'id', 'docid', '_id', found 'name', 'text'; name it with --id-field");
  EXPECT_EQ(
      refusal_of({{"id", "u"}, {"words", "u"}}),
      "rows: expected a column of text named 'text', 'contents', 'content', 'body', or of titles named 'title', found "
      "'id', 'words'; name it with --text-field");
  EXPECT_NE(refusal_of({{"id", "u"}, {"text", "u"}, {"date", "tdD"}}).find("column 'date': expected text"),
            std::string::npos);
  EXPECT_NE(refusal_of({{"id", "g"}, {"text", "u"}}).find("found format 'g'; cast the column"), std::string::npos);
  EXPECT_EQ(refusal_of({{"id", "u"}, {"text", "u"}, {"id", "u"}}),
            "rows: there are two columns named 'id'; rename or drop one of them");
}

// Reads the only column of a batch whose buffers are these.
void read_column(const std::string& format, std::int64_t length, std::vector<const void*> buffers) {
  ArrowArray array{};
  array.length = length;
  array.n_buffers = static_cast<std::int64_t>(buffers.size());
  array.buffers = buffers.data();
  const ArrowColumn column({.type = *arrow_type(format), .name = "text"}, array, 0, static_cast<std::uint64_t>(length),
                           "rows");
  ArrowColumn::Digits digits;
  for (std::uint64_t row = 0; row < static_cast<std::uint64_t>(length); ++row) column.text(row, digits);
}

TEST(ArrowColumn, RefusesBuffersThatBreakTheInterface) {
  const std::int32_t good[] = {0, 2, 4}, descending[] = {0, 4, 2}, negative[] = {-4, 0, 2};
  EXPECT_NO_THROW(read_column("u", 2, {nullptr, good, "abcd"}));
  EXPECT_THROW(read_column("u", 2, {nullptr, descending, "abcd"}), FormatError);
  EXPECT_THROW(read_column("u", 2, {nullptr, negative, "abcd"}), FormatError);
  EXPECT_THROW(read_column("u", 2, {nullptr, good, nullptr}), FormatError);
  EXPECT_THROW(read_column("u", 2, {nullptr, nullptr, "abcd"}), FormatError);
  EXPECT_THROW(read_column("u", 2, {nullptr, good}), FormatError);
  EXPECT_THROW(read_column("l", 2, {nullptr}), FormatError);
  EXPECT_THROW(read_column("vu", 1, {nullptr, good}), FormatError);
  const std::string text(20, 'x');
  const std::int64_t sizes[] = {20};
  for (const auto& [view, is_good] : {std::pair{std::array<std::int32_t, 4>{20, 0, 0, 0}, true},
                                      {{-1, 0, 0, 0}, false},
                                      {{20, 0, 1, 0}, false},
                                      {{20, 0, -1, 0}, false},
                                      {{20, 0, 0, 1}, false},
                                      {{20, 0, 0, -1}, false}}) {
    const auto read = [&, view = view] { read_column("vu", 1, {nullptr, view.data(), text.data(), sizes}); };
    if (is_good) {
      EXPECT_NO_THROW(read());
    } else {
      EXPECT_THROW(read(), FormatError);
    }
  }
}

TEST(ArrowColumn, DictionariesGiveTheirValues) {
  const std::int8_t indices[] = {1, 0, 5, 1};
  const std::uint8_t validity[] = {0b0111};
  const std::int32_t offsets[] = {0, 3, 6};
  std::vector<const void*> index_buffers{validity, indices}, value_buffers{nullptr, offsets, "onetwo"};
  ArrowArray values{}, array{};
  values.length = 2;
  values.n_buffers = 3;
  values.buffers = value_buffers.data();
  array.length = 4;
  array.null_count = 1;
  array.n_buffers = 2;
  array.buffers = index_buffers.data();
  array.dictionary = &values;
  const ArrowColumn column({.type = ArrowType::kInt8, .dictionary = ArrowType::kText, .name = "text"}, array, 0, 4,
                           "rows");
  ArrowColumn::Digits digits;
  EXPECT_EQ(column.text(0, digits), "two");
  EXPECT_EQ(column.text(1, digits), "one");
  EXPECT_FALSE(column.is_integer(0));
  EXPECT_THROW(column.text(2, digits), FormatError);
  EXPECT_TRUE(column.is_null(3));
}

TEST(ColumnarFile, IsRefusedWithTheWayToReadIt) {
  const ScratchDirectory directory;
  write_input(directory / "a.parquet", "PAR1 columns PAR1");
  write_input(directory / "b.arrow", std::string("ARROW1\0\0 columns ARROW1", 23));
  write_input(directory / "c.txt", "PAR1 is what Parquet files begin with");
  for (const char* name : {"a.parquet", "b.arrow"}) {
    try {
      read_corpus({directory / name});
      FAIL() << name;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("pip install 'spillway[parquet]'"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(read_corpus({directory / "c.txt"}).documents.size(), 1u);
}

}  // namespace
}  // namespace spillway
