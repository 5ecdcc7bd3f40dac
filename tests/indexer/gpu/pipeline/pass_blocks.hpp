// Blocks for the tests of block passes, and the run that each must give: that of the block-wide sorter of the CPU.
#pragma once

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <functional>
#include <optional>
#include <string>

#include "indexer/block/key_sorter.hpp"
#include "indexer/gpu/pipeline/gpu_lane.hpp"
#include "indexer/gpu/steps/block_pass_size.hpp"
#include "io/file/memory_file.hpp"
#include "io/run/reader.hpp"
#include "sort/sorters.hpp"
#include "tests/indexer/gpu/pipeline/token_block.hpp"
#include "tests/indexer/parse/parsed_documents.hpp"

namespace spillway::testing {

struct NamedBlock {
  std::string name;
  Block block;
  BlockSortOptions options;
};

using TakeBlock = std::function<void(const NamedBlock&)>;

// Cuts a part's chunks into blocks of `chunks` each, and hands them out.
inline void take_blocks(const std::string& name, std::vector<ParsedChunk> chunks, std::size_t chunks_in_block,
                        const BlockSortOptions& options, const TakeBlock& take) {
  std::size_t at = 0;
  for (std::uint64_t number = 0; at < chunks.size(); ++number) {
    NamedBlock named{name + ", block " + std::to_string(number), {}, options};
    named.block.number = number;
    for (std::size_t i = 0; i < chunks_in_block && at < chunks.size(); ++i) {
      named.block.chunks.push_back(std::move(chunks[at++]));
    }
    take(named);
  }
}

inline ParseSetting pass_setting(Positions positions) {
  ParseSetting setting;
  setting.form = ChunkForm::kTables;
  setting.options.positions = positions == Positions::kStored;
  return setting;
}

inline BlockSortOptions pass_options(Positions positions) {
  BlockSortOptions options;
  options.positions = positions;
  options.run_block_bytes = kMinRunBlockBytes;
  options.threads = 2;
  return options;
}

// Random documents; with limits so small that documents are cut between chunks and blocks.
inline void take_random_blocks(std::uint64_t seed, Positions positions, const TakeBlock& take) {
  std::mt19937_64 random(seed);
  ParseSetting setting = pass_setting(positions);
  setting.seed = seed;
  if (seed % 2 == 0) {
    setting.limits.table_entries = 8 + static_cast<std::uint32_t>(random() % 60);
    setting.limits.stream_words = 16 + random() % 100;
  }
  setting.documents_in_task = 1 + random() % 10;
  RandomDocuments shape;
  shape.count = 1 + random() % 40;
  shape.long_document_words = 1500;
  shape.longest_token_bytes = random() % 2 == 0 ? 250 : 20;
  MemoryBudget budget(kTestBudget);
  take_blocks("seed " + std::to_string(seed), parse_documents(random_documents(seed, shape), setting, budget).chunks,
              1 + random() % 8, pass_options(positions), take);
}

inline void take_block_of(const std::string& name, const std::vector<OracleDocument>& documents, ParseSetting setting,
                          const TakeBlock& take) {
  MemoryBudget budget(kTestBudget);
  const Positions positions = setting.options.positions ? Positions::kStored : Positions::kNone;
  take_blocks(name, parse_documents(documents, setting, budget).chunks, 1000, pass_options(positions), take);
}

// A text of `count` times `words`.
inline std::string repeated(const std::string& words, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += words;
  return text;
}

// Frequencies above 2^16, and lists longer than a stretch that are cut inside and between documents.
inline void take_long_lists(Positions positions, const TakeBlock& take) {
  std::vector<OracleDocument> documents(400);
  std::mt19937_64 random(7);
  for (OracleDocument& document : documents) {
    document.text = repeated("common ", 1 + random() % 1000) + (random() % 10 == 0 ? "rare " : "") + "the end";
  }
  documents[100].text = repeated("common ", 70000) + "word " + repeated("often common ", 66000);
  documents[101].text = "common";
  documents[200].text = repeated("common ", 140000);
  ParseSetting setting = pass_setting(positions);
  setting.limits.stream_words = 100000;
  take_block_of("long lists", documents, setting, take);
}

// Makes a block with more occurrences than two ranges of a run's lists hold; some lists are longer than a range.
inline void take_many_ranges(Positions positions, const TakeBlock& take) {
  std::vector<OracleDocument> documents(300);
  std::mt19937_64 random(11);
  for (OracleDocument& document : documents) {
    for (int i = 0; i < 2500; ++i) document.text += "common w" + std::to_string(random() % 5000) + " ";
  }
  take_block_of("many ranges", documents, pass_setting(positions), take);
}

// Terms of all lengths up to the longest, most of them sharing long prefixes.
inline void take_long_terms(Positions positions, const TakeBlock& take) {
  std::vector<OracleDocument> documents(3);
  for (const std::size_t bytes : {1, 7, 8, 9, 15, 16, 17, 255, 1000, 65534, 65535}) {
    documents[0].text += std::string(bytes, 'a') + " ";
    documents[1].text += std::string(bytes - 1, 'a') + "b ";
    documents[2].text += std::string(bytes, 'a') + " z ";
  }
  ParseSetting setting = pass_setting(positions);
  setting.options.max_term_bytes = 65535;
  take_block_of("long terms", documents, setting, take);
  setting.documents_in_task = 1;
  take_block_of("long terms, a chunk for each document", documents, setting, take);
}

// Chunks without anything, without occurrences, and with terms that none refers to.
inline void take_empty_chunks(Positions positions, const TakeBlock& take) {
  static const std::uint8_t kText[] = {'o', 'n', 'e', 't', 'w', 'o'};
  static const ChunkTerm kTerms[] = {{0, 3}, {3, 3}};
  MemoryBudget budget(kTestBudget);
  const auto unused = [] {
    ParsedChunk chunk;
    static_cast<ChunkTerms&>(chunk.content.emplace<ChunkTable>()) = {kTerms, kText};
    return chunk;
  };
  NamedBlock named{"nothing", {}, pass_options(positions)};
  take(named);
  named.name = "chunks without occurrences";
  named.block.chunks.emplace_back().content = ChunkTable{};
  named.block.chunks.push_back(unused());
  take(named);
  named.name = "chunks without occurrences between others";
  OracleDocument document, other;
  document.text = "two words and one more, one";
  other.text = "three words and two more";
  for (const OracleDocument& of : {document, OracleDocument{}, other}) {
    named.block.chunks.emplace_back().content = ChunkTable{};
    named.block.chunks.push_back(std::move(parse_documents({of, {}}, pass_setting(positions), budget).chunks.at(0)));
    named.block.chunks.push_back(unused());
  }
  take(named);
}

// Takes blocks of all shapes except `long lists`, small enough for a sanitizer.
inline void take_pass_test_blocks(Positions positions, std::uint64_t seeds, const TakeBlock& take) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) take_random_blocks(seed, positions, take);
  take_empty_chunks(positions, take);
  take_long_terms(positions, take);
  OracleDocument one;
  one.text = "word";
  take_block_of("one occurrence", {one}, pass_setting(positions), take);
  take_block_of("documents without terms", std::vector<OracleDocument>(5), pass_setting(positions), take);
  one.text = repeated("word ", 300);
  take_block_of("one term", std::vector<OracleDocument>(3, one), pass_setting(positions), take);
}

// The bytes of a run that `write` writes.
inline std::string bytes_of_run(const std::function<RunSummary(WritableFile&)>& write) {
  MemoryBudget budget(kTestBudget);
  MemoryFile file(budget, "run");
  const RunSummary summary = tbb::task_arena(2).execute([&] { return write(file); });
  std::string bytes(file.size(), '\0');
  file.read_exactly(0, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
  EXPECT_EQ(RunReader(file).summary().sum, summary.sum);
  return bytes;
}

inline std::string cpu_run(const NamedBlock& named) {
  static const auto sorter = make_key_block_sorter(*find_record_sorter("cpu-radix"), *find_string_sorter("cpu-msd"));
  return bytes_of_run([&](WritableFile& file) {
    MemoryBudget budget(kTestBudget);
    BlockSortStats stats;
    return sorter->write_run(named.block, file, named.options, budget, stats);
  });
}

inline std::string lane_run(GpuLane& lane, const Block& block, const BlockSortOptions& options) {
  return bytes_of_run([&](WritableFile& file) {
    BlockSortStats stats;
    const std::size_t bound_bytes = lane.sort(block, options, stats);
    const RunSummary summary = lane.write_run(block, file, options, stats);
    EXPECT_LE(file.size(), bound_bytes);
    return summary;
  });
}

inline BlockPassSize size_of(const Block& block, Positions positions) {
  BlockPassSize size;
  size.positions = positions == Positions::kStored;
  for (const ParsedChunk& chunk : block.chunks) size += block_pass_size(chunk, positions);
  return size;
}

// A block of occurrences in the form that lanes take. Lives no longer than the other block.
class FormedBlock {
 public:
  FormedBlock(const Block& occurrences, ChunkForm form) : occurrences_(occurrences) {
    if (form == ChunkForm::kTokens) tokens_.emplace(occurrences, 1);
  }
  operator const Block&() const { return tokens_ ? tokens_->block() : occurrences_; }

 private:
  const Block& occurrences_;
  std::optional<TokenBlock> tokens_;
};

}  // namespace spillway::testing
