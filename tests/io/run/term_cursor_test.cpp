#include <gtest/gtest.h>

#include <thread>

#include "io/file/memory_file.hpp"
#include "io/run/postings_decoder.hpp"
#include "io/run/reader.hpp"
#include "io/run/term_block_builder.hpp"
#include "io/run/term_cursor.hpp"
#include "io/run/writer.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway {
namespace {

using namespace testing;

using Lists = std::map<std::string, std::vector<SamplePosting>>;

Lists read_range(const RunReader& reader, const std::string& first, const std::string& last) {
  Lists lists;
  RunTermCursor cursor(reader, first, last);
  std::vector<std::uint32_t> documents, frequencies;
  while (cursor.next()) {
    decode_postings(cursor.entry(), "test", documents, frequencies);
    auto& list = lists[std::string(cursor.entry().term)];
    for (std::size_t i = 0; i < documents.size(); ++i) list.push_back({documents[i], frequencies[i]});
  }
  EXPECT_FALSE(cursor.next()) << "the end stays the end";
  return lists;
}

Lists expected_range(const Lists& all, const std::string& first, const std::string& last) {
  const auto begin = all.lower_bound(first);
  if (!last.empty() && last <= first) return {};
  return {begin, last.empty() ? all.end() : all.lower_bound(last)};
}

// Terms that share more than the 64 bytes kept in samples, and lists longer than a block.
SampleRun run_with_long_prefixes() {
  SampleRunOptions options;
  options.documents = 3000;
  options.terms = 300;
  options.longest_term_bytes = 6;
  SampleRun run = make_sample_run(4, options);
  Lists renamed;
  std::size_t i = 0;
  for (auto& [term, postings] : run.terms) {
    renamed[i++ % 3 == 0 ? term : std::string(70, 'b') + term] = postings;
  }
  run.terms = renamed;
  for (SampleDocument& document : run.documents) document.length = 0;
  return run;
}

class RunTermCursorTest : public ::testing::Test {
 protected:
  RunTermCursorTest() { write_sample_run(run, {{}, kMinRunBlockBytes}, file); }
  SampleRun run = run_with_long_prefixes();
  MemoryBudget budget{std::size_t{1} << 30};
  MemoryFile file{budget, "run"};
};

TEST_F(RunTermCursorTest, TellsWhereATermEnds) {
  const RunReader reader(file);
  RunTermCursor cursor(reader, "", "");
  std::size_t told = 0, going_on = 0;
  std::string last;
  for (bool ended = true; cursor.next(); last = cursor.entry().term, ended = cursor.ends_term()) {
    if (cursor.entry().term == last) {
      ++going_on;
      EXPECT_FALSE(ended) << last;
    }
    told += ended ? 1 : 0;
  }
  EXPECT_GT(told, run.terms.size() / 2);
  EXPECT_GT(going_on, 10u);
}

// A writer need not share the whole common prefix of two terms.
TEST(RunTermCursor, DoesNotTellThatATermEndsWhereItsBytesComeAgain) {
  MemoryBudget budget(std::size_t{1} << 20);
  MemoryFile file(budget, "run");
  const auto entry = [](std::uint8_t shared, const std::string& suffix, std::uint8_t document) {
    std::string bytes{static_cast<char>(shared), static_cast<char>(suffix.size())};
    bytes += suffix;
    for (const int byte : {1, 0, +document, 1, document << 1 | 1}) bytes += static_cast<char>(byte);
    return bytes;
  };
  const std::string payload =
      entry(0, "ab", 0) + entry(0, "ab", 1) + entry(2, "", 2) + entry(1, "bc", 0) + entry(3, "d", 0) + entry(1, "c", 1);
  TermBlock block;
  block.payload.assign(payload.begin(), payload.end());
  block.first_term = "ab";
  block.longest_term_bytes = 4;
  block.entry_count = 6;
  block.posting_count = block.occurrence_count = 6;
  RunWriter writer(file, {}, kMinRunBlockBytes);
  writer.append_terms(block);
  writer.append_documents(std::vector<std::uint8_t>{0, 3, 0, 2, 0, 1});
  RunSummary summary;
  summary.document_count = 3;
  summary.entry_count = summary.posting_count = summary.occurrence_count = 6;
  writer.finish(summary);
  const RunReader reader(file);
  RunTermCursor cursor(reader, "", "");
  std::vector<std::pair<std::string, bool>> found;
  while (cursor.next()) found.emplace_back(cursor.entry().term, cursor.ends_term());
  const std::vector<std::pair<std::string, bool>> expected{{"ab", false}, {"ab", false},  {"ab", false},
                                                           {"abc", true}, {"abcd", true}, {"ac", false}};
  EXPECT_EQ(found, expected);
}

TEST_F(RunTermCursorTest, FindsEveryRange) {
  const RunReader reader(file);
  ASSERT_GT(reader.term_samples().size(), 20u);
  std::vector<std::string> borders{"",        "a", std::string(64, 'b'), std::string(70, 'b'), std::string(71, 'b'),
                                   "\xFF\xFF"};
  std::mt19937_64 random(9);
  for (const auto& [term, postings] : run.terms) {
    if (random() % 8 != 0) continue;
    borders.push_back(term);
    borders.push_back(term + '\0');
  }
  std::size_t found = 0;
  for (const std::string& first : borders) {
    for (int i = 0; i < 4; ++i) {
      const std::string& last = borders[random() % borders.size()];
      const Lists lists = read_range(reader, first, last);
      found += lists.size();
      ASSERT_TRUE(lists == expected_range(run.terms, first, last)) << first << " to " << last;
    }
  }
  EXPECT_GT(found, 1000u);
}

TEST_F(RunTermCursorTest, GivesEntriesOfAListInDocumentOrder) {
  const RunReader reader(file);
  RunTermCursor cursor(reader, "", "");
  std::string before;
  std::uint32_t last_document = 0;
  std::size_t entries = 0;
  while (cursor.next()) {
    if (cursor.entry().term == before) {
      EXPECT_GT(cursor.entry().last_document, last_document);
      ++entries;
    } else {
      EXPECT_GT(cursor.entry().term, before);
    }
    before = cursor.entry().term;
    last_document = cursor.entry().last_document;
  }
  EXPECT_GT(entries, 10u);
}

TEST_F(RunTermCursorTest, IsUsedByManyThreadsOnOneReader) {
  const RunReader reader(file);
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (const std::string& border : {std::string("a"), std::string(70, 'b'), std::string("c")}) {
    threads.emplace_back([&, border] {
      EXPECT_TRUE(read_range(reader, "", border) == expected_range(run.terms, "", border));
      EXPECT_TRUE(read_range(reader, border, "") == expected_range(run.terms, border, ""));
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(RunTermCursorTest, ReadsAboutOncePerBlock) {
  FaultyFileSystem files;
  const auto out = files.create("run");
  write_sample_run(run, {{}, kMinRunBlockBytes}, *out);
  const auto in = files.open("run");
  const RunReader reader(*in);
  const std::uint64_t before = files.operations();
  read_range(reader, "", "");
  EXPECT_LE(files.operations() - before, 2 * reader.block_count());
}

// The run is in a file, so its bytes are read into buffers.
TEST_F(RunTermCursorTest, LeavesItsBufferToTheNext) {
  FaultyFileSystem files;
  const auto out = files.create("run");
  write_sample_run(run, {{}, kMinRunBlockBytes}, *out);
  const auto in = files.open("run");
  const RunReader reader(*in);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(read_range(reader, "", "") == expected_range(run.terms, "", ""));
    EXPECT_EQ(reader.spare_buffers().count(), 1U);
  }
  {
    RunTermCursor one(reader, "", ""), other(reader, "b", "");
    EXPECT_TRUE(one.next());
    EXPECT_TRUE(other.next());
    EXPECT_EQ(reader.spare_buffers().count(), 0U);
  }
  EXPECT_EQ(reader.spare_buffers().count(), 2U);
}

TEST(RunTermCursor, OfARunWithoutTermsIsEmpty) {
  SampleRun run;
  run.documents.resize(3);
  MemoryBudget budget(std::size_t{1} << 20);
  MemoryFile file(budget, "run", 4096);
  write_sample_run(run, {}, file);
  const RunReader reader(file);
  EXPECT_TRUE(read_range(reader, "", "").empty());
  EXPECT_TRUE(read_range(reader, "a", "b").empty());
}

}  // namespace
}  // namespace spillway
