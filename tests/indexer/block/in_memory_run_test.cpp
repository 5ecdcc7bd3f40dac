#include "indexer/block/in_memory_run.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <deque>
#include <map>

#include "indexer/block/chunk_sorter.hpp"
#include "indexer/job/duplicates/duplicate_ids.hpp"
#include "indexer/run/store.hpp"
#include "io/base/error.hpp"
#include "merge/index/length_codes.hpp"
#include "merge/index/merge.hpp"
#include "merge/input/source_layout.hpp"
#include "merge/run/merge.hpp"
#include "sort/sort_plan.hpp"
#include "tests/indexer/parse/parsed_documents.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/read_length_codes.hpp"

namespace spillway {
namespace {

using testing::kTestBudget;
using testing::OracleDocument;
using testing::parse_documents;
using testing::ParseSetting;

using Sources = std::vector<std::unique_ptr<MergeSource>>;
using Inputs = std::vector<const MergeInput*>;

class SortedBlocks : public ::testing::Test {
 protected:
  SortedBlocks() {
    set_positions(Positions::kStored);
    options_.run_block_bytes = std::size_t{64} << 10;
  }

  void set_positions(Positions positions) {
    setting_.options.positions = positions == Positions::kStored;
    options_.positions = positions;
  }

  // Parses the documents to chunks and puts `chunks` of them into each block.
  std::vector<Block> blocks_of(const std::vector<OracleDocument>& documents, std::size_t chunks) {
    std::vector<Block> blocks;
    for (ParsedChunk& chunk : parse_documents(documents, setting_, budget_).chunks) {
      if (blocks.empty() || blocks.back().chunks.size() == chunks) blocks.emplace_back().number = blocks.size() - 1;
      blocks.back().chunks.push_back(std::move(chunk));
    }
    return blocks;
  }

  // Keeps every block in memory, or writes it as a run.
  enum class Kept { kAll, kNone, kEverySecond };
  Sources sources_of(std::vector<Block> blocks, Kept kept) {
    Sources sources;
    RunStore& store = stores_.emplace_back(budget_, temp_, kTestBudget);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      BlockSortStats stats;
      arena_.execute([&] {
        if (kept == Kept::kAll || (kept == Kept::kEverySecond && i % 2 == 0)) {
          EXPECT_TRUE(sorter_->kept_bytes(blocks[i], options_)) << i;
          sources.push_back(sorter_->keep(std::move(blocks[i]), options_, budget_, stats));
          return;
        }
        sources.push_back(store.write(
            store.take_share(run_bytes_bound(blocks[i], most_lists(blocks[i]), options_.run_block_bytes)),
            [&](WritableFile& file) { return sorter_->write_run(blocks[i], file, options_, budget_, stats); }));
      });
    }
    return sources;
  }

  static Inputs open(const Sources& sources) {
    Inputs inputs;
    for (const auto& source : sources) inputs.push_back(&source->open(8));
    return inputs;
  }

  // The files of the index of a merge, by name.
  std::map<std::string, std::string> index_of(const Inputs& inputs, unsigned threads) {
    testing::FaultyFileSystem files;
    IndexWriter writer(files, "index", setting_.options);
    const LengthCodes codes = testing::read_length_codes(inputs, {}, budget_);
    merge_documents(inputs, {}, writer, budget_);
    IndexMergeOptions options;
    options.threads = threads;
    options.batch_bytes = 4096;
    const IndexMergeResult result = merge_lists(inputs, {}, codes.span(), writer, options);
    writer.finish({lay_out_source(inputs).document_count, lay_out_source(inputs).sum, result.dropped_sum});
    std::map<std::string, std::string> bytes;
    for (const std::string& name : files.list("index")) bytes[name] = files.get("index/" + name);
    return bytes;
  }

  // The result of an IdTable over the inputs.
  struct Ids {
    std::vector<bool> dropped;
    std::vector<std::uint8_t> length_codes;
    std::uint64_t duplicates = 0;
    std::string order_section;
    bool operator==(const Ids&) const = default;
  };
  Ids ids_of(const Inputs& inputs, unsigned threads) {
    Ids ids;
    testing::FaultyFileSystem files;
    IndexWriter writer(files, "index", setting_.options);
    const std::uint64_t count = lay_out_source(inputs).document_count;
    LengthCodes codes(budget_, count);
    arena_.execute([&] {
      IdTableResources resources{budget_, temp_, auto_string_sorter(), std::size_t{1} << 20};
      resources.threads = threads;
      IdTable table(inputs, DuplicateIds::kFirst, resources, codes);
      for (std::uint32_t i = 0; i < count; ++i) ids.dropped.push_back(table.dropped().contains(i));
      ids.duplicates = table.duplicate_count();
      merge_documents(inputs, table.dropped(), writer, budget_);
      table.write_order(writer);
      const IndexMergeResult merged = merge_lists(inputs, table.dropped(), codes.span(), writer, {1, 1 << 20, {}, {}});
      writer.finish({count, lay_out_source(inputs).sum, merged.dropped_sum});
    });
    ids.length_codes.assign(codes.span().begin(), codes.span().end());
    ids.order_section = files.get("index/" + std::string(section_name(Section::kIdOrder)));
    return ids;
  }

  std::vector<OracleDocument> documents(std::uint64_t seed, std::size_t count) {
    testing::RandomDocuments shape;
    shape.count = count;
    std::vector<OracleDocument> made = testing::random_documents(seed, shape);
    for (OracleDocument& document : made) document.id.clear();  // so that the index needs no order of ids
    return made;
  }

  MemoryBudget budget_{kTestBudget};
  testing::FaultyFileSystem scratch_;
  TempSpace temp_{scratch_, {}, "/job", 0};
  std::deque<RunStore> stores_;
  tbb::task_arena arena_{2};
  const std::unique_ptr<BlockSorter> sorter_ = make_chunk_block_sorter(auto_string_sorter());
  ParseSetting setting_;
  BlockSortOptions options_;
};

TEST_F(SortedBlocks, GiveTheIndexThatTheirRunsGive) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    set_positions(seed % 4 < 2 ? Positions::kStored : Positions::kNone);
    setting_.seed = seed;
    setting_.documents_in_task = 1 + seed % 7;
    setting_.limits.stream_words = seed % 3 == 0 ? 400 : 1 << 16;  // small: documents are cut between chunks and blocks
    const std::vector<OracleDocument> made = documents(seed, 60);
    const std::size_t chunks = 1 + seed % 5 * seed % 11;
    const Sources runs = sources_of(blocks_of(made, chunks), Kept::kNone);
    const auto expected = index_of(open(runs), 1);
    for (const Kept kept : {Kept::kAll, Kept::kEverySecond}) {
      const Sources sources = sources_of(blocks_of(made, chunks), kept);
      ASSERT_TRUE(index_of(open(sources), 1 + static_cast<unsigned>(seed % 3)) == expected);
    }
  }
}

TEST_F(SortedBlocks, GiveTheSameIndexByWayOfAPass) {
  setting_.documents_in_task = 3;
  setting_.limits.stream_words = 400;
  const std::vector<OracleDocument> made = documents(5, 100);
  for (const Positions positions : {Positions::kNone, Positions::kStored}) {
    set_positions(positions);
    const Sources runs = sources_of(blocks_of(made, 4), Kept::kNone);
    const auto expected = index_of(open(runs), 1);
    const Sources sources = sources_of(blocks_of(made, 4), Kept::kEverySecond);
    ASSERT_GT(sources.size(), 4U);
    MemoryFile merged(budget_, "merged");
    merge_runs(open(sources), merged, {});
    const RunReader reader(merged);
    const RunInput input(reader);
    EXPECT_TRUE(index_of({&input}, 2) == expected);
  }
}

// Their bytes plan the memory of merging them. Titles of documents that are cut between chunks are counted apart.
TEST_F(SortedBlocks, TakeAsManyBytesAsTheirRuns) {
  setting_.limits.stream_words = 60;
  std::vector<OracleDocument> made(200);
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].title = std::string(3000, 't') + std::to_string(i);
    for (int word = 0; word < 40; ++word) made[i].text += "w" + std::to_string(word) + " ";
  }
  for (const Positions positions : {Positions::kNone, Positions::kStored}) {
    set_positions(positions);
    std::size_t cut = 0;
    for (const Block& block : blocks_of(made, 1)) cut += block.last_document_open() ? 1 : 0;
    EXPECT_GT(cut, 150U);
    const Sources sources = sources_of(blocks_of(made, 1000), Kept::kAll);
    ASSERT_EQ(sources.size(), 1U);
    MemoryFile run(budget_, "run");
    const RunSummary summary = merge_runs(open(sources), run, {});
    EXPECT_GE(sources.front()->bytes + 4096, run.size());
    EXPECT_GT(run.size(), 200U * 3000);
    EXPECT_LT(summary.entry_count, sources.front()->summary.entry_count);
  }
}

// A document that is cut between many chunks has one posting of each of its terms.
TEST_F(SortedBlocks, JoinThePostingsOfACutDocument) {
  OracleDocument long_one;
  for (int i = 0; i < 3000; ++i) long_one.text += "w" + std::to_string(i % 1000) + " ";
  std::vector<OracleDocument> made = documents(8, 5);
  made.push_back(long_one);
  made.push_back(long_one);
  setting_.limits.stream_words = 400;
  for (const Positions positions : {Positions::kNone, Positions::kStored}) {
    set_positions(positions);
    ASSERT_GT(blocks_of(made, 1).size(), 10U);
    const Sources runs = sources_of(blocks_of(made, 1), Kept::kNone);
    const auto expected = index_of(open(runs), 1);
    const Sources sources = sources_of(blocks_of(made, 1000), Kept::kAll);
    ASSERT_EQ(sources.size(), 1U);
    EXPECT_TRUE(index_of(open(sources), 2) == expected);
  }
}

// Ids are read from several chunks at once; a document may be cut between them, and may have no id.
TEST_F(SortedBlocks, GiveTheIdsThatTheirRunsGive) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    setting_.documents_in_task = 1 + seed % 7;
    setting_.limits.stream_words = seed % 3 == 0 ? 400 : 1 << 16;
    std::vector<OracleDocument> made = documents(seed, 200);
    std::mt19937_64 random(seed);
    for (OracleDocument& document : made) {
      if (random() % 10 != 0) document.id = "id-" + std::to_string(random() % 150);
    }
    const Sources runs = sources_of(blocks_of(made, 5), Kept::kNone);
    const Ids expected = ids_of(open(runs), 1);
    EXPECT_GT(expected.duplicates, 10U);
    for (const std::size_t chunks : {std::size_t{5}, std::size_t{1000}}) {
      const Sources sources = sources_of(blocks_of(made, chunks), Kept::kAll);
      EXPECT_TRUE(ids_of(open(sources), 2) == expected);
    }
  }
}

TEST_F(SortedBlocks, HoldNoMoreMemoryThanTheySay) {
  const std::vector<OracleDocument> made = documents(6, 300);
  std::vector<Block> blocks = blocks_of(made, 1000);
  ASSERT_EQ(blocks.size(), 1U);
  const std::size_t bytes = sorter_->kept_bytes(blocks[0], options_).value();
  const Sources sources = sources_of(std::move(blocks), Kept::kAll);
  EXPECT_LE(budget_.used_bytes(), bytes);
  EXPECT_GT(budget_.used_bytes(), bytes / 4) << "the bound is far too large";
}

// Blocks that cannot be merged from their chunks must become runs in files.
TEST_F(SortedBlocks, AreNotKeptWhereTheyCannotBe) {
  OracleDocument document;
  for (int i = 0; i < 20000; ++i) document.text += "word ";
  const std::vector<Block> blocks = blocks_of({document}, 1000);
  EXPECT_TRUE(sorter_->kept_bytes(blocks.at(0), options_));
  BlockSortOptions options = options_;
  options.run_block_bytes = 4096;  // less than the list
  EXPECT_FALSE(sorter_->kept_bytes(blocks.at(0), options));
  options = options_;
  options.has_texts = true;
  EXPECT_FALSE(sorter_->kept_bytes(blocks.at(0), options));
}

// The merge derives the checksums of parsing again: of postings and of positions.
TEST_F(SortedBlocks, AreRefusedWhereTheirSumIsNotThatOfTheirLists) {
  const std::vector<OracleDocument> made = documents(7, 30);
  for (const bool of_positions : {false, true}) {
    std::vector<Block> blocks = blocks_of(made, 1000);
    ContentChecksum& sum = blocks.at(0).chunks.at(0).sum;
    (of_positions ? sum.positions : sum.lanes[0]) ^= 1;
    const Sources sources = sources_of(std::move(blocks), Kept::kAll);
    EXPECT_THROW(index_of(open(sources), 1), FormatError) << of_positions;
  }
}

}  // namespace
}  // namespace spillway
