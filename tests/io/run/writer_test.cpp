#include "io/run/writer.hpp"
#include "io/run/term_block_builder.hpp"

#include <gtest/gtest.h>

#include "io/file/memory_file.hpp"
#include "io/run/document_cursor.hpp"
#include "io/run/reader.hpp"
#include "io/run/term_cursor.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway {
namespace {

using namespace testing;

class RunWriterTest : public ::testing::Test {
 protected:
  MemoryBudget budget{std::size_t{1} << 30};
  MemoryFile file{budget, "run"};

  // Returns a block with one entry of `term`, about `bytes` long.
  static TermBlock block_of(std::string_view term, std::size_t bytes = 1) {
    TermBlockBuilder builder(kMinRunBlockBytes, false);
    const std::vector<std::uint8_t> postings(bytes, 0x03);
    RunEntry entry;
    entry.term = term;
    entry.document_count = static_cast<std::uint32_t>(bytes);
    entry.occurrence_count = bytes;
    entry.last_document = static_cast<std::uint32_t>(bytes);
    entry.postings = postings;
    builder.add(entry);
    return builder.finish();
  }
  static std::vector<std::uint8_t> documents(std::size_t count) {
    std::vector<std::uint8_t> stream;
    for (std::size_t i = 0; i < count; ++i) append_run_document({}, stream);
    return stream;
  }
};

TEST_F(RunWriterTest, KeepsIdentityAndSummary) {
  RunIdentity identity;
  for (std::size_t i = 0; i < identity.job.size(); ++i) identity.job[i] = static_cast<std::uint8_t>(i * 7);
  identity.number = 0x123456789ABCDEF0;
  identity.first_document_open = true;
  RunWriter writer(file, identity, kMinRunBlockBytes);
  writer.append_documents(documents(3));
  writer.append_terms(block_of("a"));
  RunSummary summary;
  summary.document_count = 3;
  summary.entry_count = summary.posting_count = summary.occurrence_count = 1;
  summary.sum.lanes = {5, 6};
  writer.finish(summary);
  const RunReader reader(file);
  EXPECT_EQ(reader.identity().job, identity.job);
  EXPECT_EQ(reader.identity().number, identity.number);
  EXPECT_TRUE(reader.identity().first_document_open);
  EXPECT_FALSE(reader.identity().last_document_open);
  EXPECT_FALSE(reader.identity().has_positions);
  EXPECT_EQ(reader.summary().document_count, 3u);
  EXPECT_EQ(reader.summary().posting_count, 1u);
  EXPECT_EQ(reader.summary().sum, summary.sum);
  EXPECT_FALSE(reader.summary().has_stored_ids);
  EXPECT_EQ(reader.block_count(), 2u);
}

TEST_F(RunWriterTest, ThinsItsSamplesOut) {
  constexpr std::size_t kBlocks = 3 * kMaxTermSamples + 5;
  RunWriter writer(file, {}, kMinRunBlockBytes);
  writer.append_documents(documents(2));
  const auto term_of = [](std::size_t i) { return "t" + std::to_string(100'000 + i); };
  for (std::size_t i = 0; i < kBlocks; ++i) writer.append_terms(block_of(term_of(i)));
  RunSummary summary;
  summary.document_count = 2;
  summary.entry_count = summary.posting_count = summary.occurrence_count = kBlocks;
  writer.finish(summary);
  const RunReader reader(file);
  const auto& samples = reader.term_samples();
  EXPECT_LE(samples.size(), kMaxTermSamples);
  EXPECT_GT(samples.size(), kMaxTermSamples / 2);
  for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(samples[i].first_term, term_of(4 * i));
  for (const std::size_t at : {0u, 1u, 3u, 4u, 5u, 2048u, 4099u}) {
    RunTermCursor cursor(reader, term_of(at), "");
    ASSERT_TRUE(cursor.next());
    EXPECT_EQ(cursor.entry().term, term_of(at));
  }
}

TEST_F(RunWriterTest, RefusesOurOwnMistakes) {
  RunWriter writer(file, {}, kMinRunBlockBytes);
  writer.append_terms(block_of("m"));
  EXPECT_THROW(writer.append_terms(block_of("l")), std::logic_error);
  EXPECT_THROW(writer.append_terms(TermBlock()), std::logic_error);
  RunSummary summary;
  summary.entry_count = summary.posting_count = summary.occurrence_count = 1;
  summary.document_count = 1;
  EXPECT_THROW(writer.finish(summary), std::logic_error) << "the document is missing";
  writer.append_documents(documents(1));
  summary.posting_count = 2;
  EXPECT_THROW(writer.finish(summary), std::logic_error);
  EXPECT_THROW(RunWriter(file, {}, kMinRunBlockBytes), std::logic_error) << "not empty";
  MemoryFile other(budget, "other");
  EXPECT_THROW(RunWriter(other, {}, kMaxRunBlockBytes + 1), std::logic_error);
}

TEST_F(RunWriterTest, GivesTheSameBytesInWhateverOrderPlacesAreFilled) {
  std::vector<TermBlock> blocks;
  RunSummary summary;
  summary.document_count = 1;
  for (char letter = 'a'; letter <= 'k'; ++letter) {
    const std::size_t postings = 100 * static_cast<std::size_t>(letter - 'a' + 1) % 700 + 1;
    blocks.push_back(block_of(std::string(3, letter), postings));
    ++summary.entry_count;
    summary.posting_count += postings;
  }
  summary.occurrence_count = summary.posting_count;
  const auto bytes_of = [](const MemoryFile& of) {
    std::vector<std::uint8_t> bytes(of.size());
    of.read_exactly(0, bytes);
    return bytes;
  };
  RunWriter writer(file, {}, kMinRunBlockBytes);
  writer.append_documents(documents(1));
  for (const TermBlock& block : blocks) writer.append_terms(block);
  writer.finish(summary);

  MemoryFile other(budget, "other", 4096);
  RunWriter placing(other, {}, kMinRunBlockBytes);
  placing.append_documents(documents(1));
  std::vector<RunWriter::Place> places;
  for (const TermBlock& block : blocks) places.push_back(placing.place_terms(block));
  for (std::size_t i = blocks.size(); i-- > 0;) placing.fill(places[i], blocks[i]);
  placing.finish(summary);
  EXPECT_EQ(bytes_of(other), bytes_of(file));
}

TEST_F(RunWriterTest, WritesABlockByOneAppendOrTwo) {
  FaultyFileSystem files;
  const auto out = files.create("run");
  const std::uint64_t before = files.operations();
  RunWriter writer(*out, {}, kMinRunBlockBytes);
  EXPECT_EQ(files.operations() - before, 1u) << "the header";
  writer.append_documents(std::vector<std::uint8_t>(3 * kMinRunBlockBytes, 0));
  EXPECT_EQ(files.operations() - before, 4u);
  writer.append_terms(block_of("a"));
  EXPECT_EQ(files.operations() - before, 6u) << "the block's header, and its bytes from where they stand";
}

}  // namespace
}  // namespace spillway
