#include "indexer/block/sorter.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "indexer/block/chunk_sorter.hpp"
#include "indexer/block/key_sorter.hpp"
#include "io/base/error.hpp"
#include "io/file/memory_file.hpp"
#include "io/run/document_cursor.hpp"
#include "io/run/term_cursor.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"
#include "tests/indexer/parse/parsed_documents.hpp"

namespace spillway {
namespace {

using testing::invert;
using testing::InvertedOracle;
using testing::kTestBudget;
using testing::OracleDocument;
using testing::parse_documents;
using testing::ParseSetting;
using testing::StoredEntry;

struct NamedSorter {
  std::string name;
  std::unique_ptr<BlockSorter> sorter;
};

// cpu-chunk and every record sorter, each with every string sorter.
const std::vector<NamedSorter>& all_sorters() {
  static const std::vector<NamedSorter> kSorters = [] {
    std::vector<NamedSorter> sorters;
    std::vector<const StringSorter*> strings = string_sorters();
    strings.push_back(&auto_string_sorter());
    for (const StringSorter* string : strings) {
      const std::string name(string->name());
      sorters.push_back({"cpu-chunk with " + name, make_chunk_block_sorter(*string)});
      for (const RecordSorter* records : record_sorters()) {
        sorters.push_back({std::string(records->name()) + " with " + name, make_key_block_sorter(*records, *string)});
      }
    }
    return sorters;
  }();
  return kSorters;
}

// Cuts a part's chunks into blocks: cuts[i] chunks each.
std::vector<Block> blocks_of(std::vector<ParsedChunk> chunks, const std::vector<std::size_t>& cuts) {
  std::vector<Block> blocks;
  std::size_t at = 0;
  for (std::size_t i = 0; at < chunks.size(); ++i) {
    Block& block = blocks.emplace_back();
    block.number = i;
    for (std::size_t n = 0; n < cuts[i % cuts.size()] && at < chunks.size(); ++n) {
      block.chunks.push_back(std::move(chunks[at++]));
    }
  }
  return blocks;
}

std::string run_of(const BlockSorter& sorter, const Block& block, const BlockSortOptions& options) {
  MemoryBudget budget(kTestBudget);
  MemoryFile file(budget, "run");
  BlockSortStats stats;
  tbb::task_arena arena(static_cast<int>(options.threads));
  const RunSummary summary = arena.execute([&] { return sorter.write_run(block, file, options, budget, stats); });
  EXPECT_LE(file.size(), run_bytes_bound(block, most_lists(block), options.run_block_bytes));
  std::string bytes(file.size(), '\0');
  file.read_exactly(0, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
  const RunReader reader(file);
  EXPECT_EQ(reader.summary().document_count, summary.document_count);
  EXPECT_EQ(reader.summary().sum, summary.sum);
  return bytes;
}

// A run's content, read back; documents are numbered in the run.
struct ReadRun {
  RunIdentity identity;
  RunSummary summary;
  testing::Lists lists;
  std::size_t entry_count = 0;
  std::vector<StoredEntry> documents;
};

ReadRun read_run(const std::string& bytes) {
  MemoryBudget budget(kTestBudget);
  MemoryFile file(budget, "run");
  file.append({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  const RunReader reader(file);
  ReadRun run;
  run.identity = reader.identity();
  run.summary = reader.summary();
  RunTermCursor terms(reader, "", "");
  std::vector<std::uint32_t> documents, frequencies;
  while (terms.next()) {
    decode_postings(terms.entry(), "run", documents, frequencies);
    InvertedOracle::List& list = run.lists[std::string(terms.entry().term)];
    for (std::size_t i = 0; i < documents.size(); ++i) {
      EXPECT_TRUE(list.emplace(documents[i], frequencies[i]).second) << "a document twice in a list";
    }
    ++run.entry_count;
  }
  RunDocumentCursor cursor(reader);
  while (cursor.next()) {
    const RunDocument& document = cursor.document();
    StoredEntry& entry = run.documents.emplace_back();
    entry.fields = document.fields;
    entry.length = document.length;
    entry.id = document.id;
    entry.title = document.title;
    entry.url = document.url;
    entry.date = document.date;
  }
  EXPECT_EQ(run.documents.size(), run.summary.document_count);
  EXPECT_EQ(testing::sum_of_lists(run.lists), run.summary.sum);
  return run;
}

// All runs of a part together equal the oracle.
void expect_runs_equal(const std::vector<std::string>& runs, const std::vector<OracleDocument>& documents,
                       const ContentOptions& options) {
  const InvertedOracle oracle = invert(documents, options);
  testing::Lists lists;
  std::vector<StoredEntry> entries;
  bool open = false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ReadRun run = read_run(runs[i]);
    EXPECT_EQ(run.identity.number, i);
    EXPECT_EQ(run.identity.first_document_open, open);
    const auto base = static_cast<std::uint32_t>(entries.size() - (open ? 1 : 0));
    for (const auto& [term, list] : run.lists) {
      for (const auto& [document, frequency] : list) lists[term][base + document] += frequency;
    }
    std::size_t first = 0;
    if (open) {
      ASSERT_FALSE(run.documents.empty());
      EXPECT_EQ(run.documents[0].fields, 0);
      entries.back().length += run.documents[0].length;
      first = 1;
    }
    entries.insert(entries.end(), run.documents.begin() + static_cast<std::ptrdiff_t>(first), run.documents.end());
    open = run.identity.last_document_open;
  }
  EXPECT_FALSE(open);
  EXPECT_EQ(lists, oracle.lists);
  std::vector<StoredEntry> expected;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    expected.push_back(stored_entry(documents[i], oracle.lengths[i], options.store));
  }
  EXPECT_EQ(entries, expected);
}

// Sorts the same documents in the same chunks with every sorter: all must give the right content, and sorters of one
// form the same bytes. (Sorters of different forms may cut long lists into entries at different places.)
void expect_all_agree(const std::vector<OracleDocument>& documents, ParseSetting setting,
                      const std::vector<std::size_t>& cuts, const BlockSortOptions& options) {
  std::map<ChunkForm, std::vector<std::string>> first;
  for (const NamedSorter& named : all_sorters()) {
    SCOPED_TRACE(named.name);
    MemoryBudget budget(kTestBudget);
    setting.form = named.sorter->form();
    std::vector<std::string> runs;
    for (const Block& block : blocks_of(parse_documents(documents, setting, budget).chunks, cuts)) {
      runs.push_back(run_of(*named.sorter, block, options));
    }
    expect_runs_equal(runs, documents, setting.options);
    const auto [same_form, is_first] = first.try_emplace(setting.form, runs);
    if (!is_first) {
      EXPECT_TRUE(runs == same_form->second) << "the bytes differ from those of another sorter";
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(first.size(), 2U);
}

TEST(BlockSorter, MakesOneRunOfOneChunk) {
  OracleDocument a, b;
  a.id = "A";
  a.title = "The title";
  a.text = "to be or not to be";
  b.text = "the end";
  expect_all_agree({a, b, {}}, {}, {1}, {});
}

TEST(BlockSorter, MakesARunOfDocumentsWithoutTerms) { expect_all_agree(std::vector<OracleDocument>(5), {}, {3}, {}); }

TEST(BlockSorter, SortsRandomDocumentsTheSameWithEverySorter) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ParseSetting setting;
    setting.seed = seed;
    setting.options.tokenizer = random() % 2 == 0 ? Tokenizer::kUnicode : Tokenizer::kAscii;
    setting.options.stemmer = random() % 2 == 0 ? "english" : "none";
    setting.documents_in_task = 1 + random() % 10;
    BlockSortOptions options;
    options.run_block_bytes = kMinRunBlockBytes << (random() % 4);
    options.threads = 1 + static_cast<unsigned>(random() % 4);
    options.job = {static_cast<std::uint8_t>(seed), 7};
    testing::RandomDocuments shape;
    shape.count = 1 + random() % 40;
    shape.longest_token_bytes = random() % 2 == 0 ? 250 : 20;
    expect_all_agree(testing::random_documents(seed, shape), setting, {1 + random() % 4, 1 + random() % 2, 5}, options);
    if (HasFailure()) return;
  }
}

TEST(BlockSorter, CutsListsThatAreLongerThanABlockIntoEntries) {
  std::vector<OracleDocument> documents(9000);
  std::mt19937_64 random(5);
  for (OracleDocument& document : documents) {
    document.text = random() % 10 == 0 ? "common common common" : "common";
    if (random() % 100 == 0) document.text += " rare";
  }
  ParseSetting setting;
  setting.documents_in_task = 4000;
  BlockSortOptions options;
  options.run_block_bytes = kMinRunBlockBytes;
  expect_all_agree(documents, setting, {3}, options);
  MemoryBudget budget(kTestBudget);
  const std::vector<Block> blocks = blocks_of(parse_documents(documents, setting, budget).chunks, {3});
  ASSERT_EQ(blocks.size(), 1U);
  const ReadRun run = read_run(run_of(*all_sorters()[0].sorter, blocks[0], options));
  EXPECT_EQ(run.lists.size(), 2U);
  EXPECT_GE(run.entry_count, 4U);
}

// Limits small enough that chunks and blocks end inside documents, which are cut between runs.
TEST(BlockSorter, CutsDocumentsBetweenBlocks) {
  std::size_t open_runs = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ParseSetting setting;
    setting.seed = seed;
    setting.limits.table_entries = 8 + static_cast<std::uint32_t>(random() % 60);
    setting.limits.stream_words = 16 + random() % 100;
    setting.options.store = random() % 2 == 0 ? StorePolicy::kMeta : StorePolicy::kNone;
    BlockSortOptions options;
    options.run_block_bytes = kMinRunBlockBytes;
    options.threads = 2;
    testing::RandomDocuments shape;
    shape.count = 1 + random() % 12;
    shape.long_document_words = 1500;
    const std::vector<OracleDocument> documents = testing::random_documents(seed, shape);
    const std::vector<std::size_t> cuts{1 + random() % 3, 1, 1 + random() % 8};
    expect_all_agree(documents, setting, cuts, options);
    if (HasFailure()) return;
    MemoryBudget budget(kTestBudget);
    for (const Block& block : blocks_of(parse_documents(documents, setting, budget).chunks, cuts)) {
      open_runs += block.first_document_open() || block.last_document_open() ? 1 : 0;
    }
  }
  EXPECT_GT(open_runs, 100U);
}

TEST(BlockSorter, TakesADocumentThatSpansAllChunksOfABlock) {
  OracleDocument before, giant, after;
  before.text = "before it";
  giant.id = "giant";
  giant.title = "giant";
  for (int i = 0; i < 5000; ++i) giant.text += "w" + std::to_string(i % 300) + " ";
  after.text = "after it";
  ParseSetting setting;
  setting.limits.table_entries = 16;
  setting.limits.stream_words = 32;
  for (const NamedSorter& named : all_sorters()) {
    SCOPED_TRACE(named.name);
    MemoryBudget budget(kTestBudget);
    setting.form = named.sorter->form();
    std::vector<std::string> runs;
    std::size_t inner = 0;
    for (const Block& block : blocks_of(parse_documents({before, giant, after}, setting, budget).chunks, {7})) {
      inner += block.first_document_open() && block.last_document_open() && chunk_bases(block).back() == 1 ? 1 : 0;
      runs.push_back(run_of(*named.sorter, block, {}));
    }
    EXPECT_GT(inner, 10U);
    expect_runs_equal(runs, {before, giant, after}, setting.options);
  }
}

TEST(BlockSorter, GivesTheSameBytesForAnyNumberOfThreads) {
  testing::RandomDocuments shape;
  shape.count = 200;
  shape.words = 400;
  const std::vector<OracleDocument> documents = testing::random_documents(12, shape);
  ParseSetting setting;
  setting.documents_in_task = 20;
  for (const NamedSorter& named : all_sorters()) {
    MemoryBudget budget(kTestBudget);
    setting.form = named.sorter->form();
    const std::vector<Block> blocks = blocks_of(parse_documents(documents, setting, budget).chunks, {1000});
    BlockSortOptions options;
    options.run_block_bytes = kMinRunBlockBytes;
    const std::string one = run_of(*named.sorter, blocks.at(0), options);
    for (const unsigned threads : {2U, 5U, 8U}) {
      options.threads = threads;
      EXPECT_TRUE(run_of(*named.sorter, blocks[0], options) == one) << named.name << " with " << threads;
    }
  }
}

// The check for lost occurrences must be able to fail.
TEST(BlockSorter, RefusesABlockWhoseSumIsNotThatOfItsPostings) {
  OracleDocument document;
  document.text = "a few words";
  for (const NamedSorter& named : all_sorters()) {
    MemoryBudget budget(kTestBudget);
    ParseSetting setting;
    setting.form = named.sorter->form();
    std::vector<Block> blocks = blocks_of(parse_documents({document}, setting, budget).chunks, {1});
    blocks.at(0).chunks[0].sum.lanes[1] ^= 1;
    MemoryFile file(budget, "run");
    BlockSortStats stats;
    EXPECT_THROW(named.sorter->write_run(blocks[0], file, {}, budget, stats), FormatError) << named.name;
  }
}

TEST(BlockSorter, NeedsNoMoreMemoryThanItSays) {
  testing::RandomDocuments shape;
  shape.count = 300;
  shape.words = 500;
  const std::vector<OracleDocument> documents = testing::random_documents(3, shape);
  ParseSetting setting;
  setting.documents_in_task = 30;
  for (const NamedSorter& named : all_sorters()) {
    MemoryBudget chunk_budget(kTestBudget);
    setting.form = named.sorter->form();
    const std::vector<Block> blocks = blocks_of(parse_documents(documents, setting, chunk_budget).chunks, {1000});
    std::size_t bytes = 8 * 4096;  // buffers are whole pages
    for (const ParsedChunk& chunk : blocks.at(0).chunks) bytes += named.sorter->extra_bytes(chunk);
    MemoryBudget budget(bytes);
    MemoryFile file(chunk_budget, "run");
    BlockSortStats stats;
    EXPECT_NO_THROW(named.sorter->write_run(blocks[0], file, {}, budget, stats)) << named.name;
    EXPECT_EQ(budget.used_bytes(), 0U);
    EXPECT_GT(budget.peak_bytes(), bytes / 8) << "the bound is far too large";
  }
}

TEST(ChunkBases, CountADocumentThatIsOpenBetweenChunksOnce) {
  Block block;
  const auto add = [&](std::uint32_t documents, bool first_open, bool last_open) {
    ParsedChunk& chunk = block.chunks.emplace_back();
    chunk.document_count = documents;
    chunk.first_document_open = first_open;
    chunk.last_document_open = last_open;
  };
  add(3, true, true);  // continues a document of the previous block: it counts here
  add(1, true, true);
  add(2, true, false);
  add(4, false, false);
  EXPECT_EQ(chunk_bases(block), (std::vector<std::uint32_t>{0, 2, 2, 4, 8}));
  EXPECT_TRUE(block.first_document_open());
  EXPECT_FALSE(block.last_document_open());
}

}  // namespace
}  // namespace spillway
