// The input of the stage benchmarks: one JSONL file, held in memory in the form that each stage takes, so that costs of
// stages can be added. $SPILLWAY_BENCH_INPUT names the file; by default the bundled sample is repeated.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/document/fielded_document.hpp"
#include "corpora/records/jsonl.hpp"
#include "indexer/parse/make_chunk_parser.hpp"
#include "indexer/plan/memory.hpp"
#include "io/format/content_options.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

struct StageDocument {
  std::string id, title, text;
};

struct StageInput {
  std::string path;    // of the file; empty for the sample
  std::string padded;  // whole records, then a line feed and readable padding
  std::size_t byte_count = 0;
  std::vector<StageDocument> documents;

  std::string_view bytes() const { return std::string_view(padded).substr(0, byte_count); }
};

// The input, read and parsed once. Throws IoError, and std::runtime_error if a record gives no document.
const StageInput& stage_input();

// A JSONL parser with its memory, as each parsing thread has.
struct StageJsonl {
  explicit StageJsonl(std::size_t longest_block);
  std::vector<char> scratch;
  FieldedDocument document;
  JsonlParser parser;
};

// The number of tokens of the input, parsed with stage_content().
std::uint64_t stage_token_count();

// The content options: the defaults, except that documents with repeated ids are kept, since the sample repeats.
const ContentOptions& stage_content();

// The sizes of tasks, chunks and blocks that `index --threads 1 --memory 4G` plans for the input.
IndexPlan stage_plan(ChunkForm form);

// Passes on the chunks of the input, in order, parsed on this thread as planned.
void parse_stage_input(ChunkForm form, const ContentOptions& content, MemoryBudget& budget,
                       const ChunkParser::Deliver& deliver);
// The same for chunks of tokens, from the input's bytes, in steps of one read. Without `packs_json` texts are unescaped
// before their words are packed.
void read_stage_input(StageJsonl& jsonl, bool packs_json, MemoryBudget& budget, const ChunkParser::Deliver& deliver);
// All chunks, parsed with stage_content().
std::vector<ParsedChunk> parse_stage_input(ChunkForm form, MemoryBudget& budget);

// Counts the input's bytes and tokens, whatever a stage itself moves, so that all stages have one scale.
void count_input(benchmark::State& state);

}  // namespace spillway
