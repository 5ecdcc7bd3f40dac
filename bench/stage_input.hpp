// What the benchmarks of the stages work on: one JSONL input, held in memory in the form that each stage takes, so that
// their rates can be added up. $SPILLWAY_BENCH_INPUT names a file; without it the bundled sample is repeated.
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
  std::string padded;  // whole records, then a newline and bytes that may be read
  std::size_t byte_count = 0;
  std::vector<StageDocument> documents;

  std::string_view bytes() const { return std::string_view(padded).substr(0, byte_count); }
};

// Read and parsed once. Throws IoError; std::runtime_error if a record gives no document.
const StageInput& stage_input();

// A JSONL parser with its memory, as each parsing thread has one.
struct StageJsonl {
  explicit StageJsonl(std::size_t longest_block);
  std::vector<char> scratch;
  FieldedDocument document;
  JsonlParser parser;
};

// Tokens of the input, as parsed with stage_content().
std::uint64_t stage_token_count();

// How everything here is indexed: the defaults, but documents with an id that was seen are kept (the sample repeats).
const ContentOptions& stage_content();

// What `index --threads 1 --memory 4G` plans for the input: the sizes of tasks, chunks and blocks of a run.
IndexPlan stage_plan(ChunkForm form);

// Hands out the input's chunks, in order, parsed on this thread as planned.
void parse_stage_input(ChunkForm form, const ContentOptions& content, MemoryBudget& budget,
                       const ChunkParser::Deliver& deliver);
// All of them, with stage_content().
std::vector<ParsedChunk> parse_stage_input(ChunkForm form, MemoryBudget& budget);

// Bytes: of the input, whatever a stage itself moves; items: tokens. So all stages have one scale.
void count_input(benchmark::State& state);

}  // namespace spillway
