// How a job divides its memory: a pure decision from budget, threads and options, printable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "corpora/reader/corpus_reader.hpp"
#include "indexer/block/assembler.hpp"
#include "indexer/options/index_options.hpp"
#include "indexer/parse/chunk_parser.hpp"
#include "indexer/plan/memory_table.hpp"

namespace spillway {

struct IndexPlanInput {
  std::size_t memory_bytes = 0;   // --memory
  std::size_t program_bytes = 0;  // resident before the work starts: code, libraries, ICU's data
  std::size_t list_bytes = 0;     // the list of input files
  unsigned threads = 1;
  IndexMode mode = IndexMode::kCpuPlus;
  ChunkForm form = ChunkForm::kPostings;
  std::uint64_t input_bytes = 0;         // as stored; 0: unknown
  std::uint64_t forced_block_bytes = 0;  // --block-bytes
  // Only for GPU modes with a usable GPU:
  unsigned lanes = 0;                                         // blocks that GPUs sort or write at once
  std::size_t staging_bytes = 0;                              // that the lanes may page-lock for uploads and lists
  std::function<bool(const ChunkLimits&)> chunk_fits_device;  // may be empty
  // Memory that a sort on the CPU instead may add to a chunk; empty: five times the chunk.
  std::function<std::size_t(const ChunkLimits&)> cpu_sort_bytes;
  // The largest block, at most the argument, that fits the device.
  std::function<std::size_t(std::size_t)> block_limit;
  bool waits_for_gpu = false;  // the first blocks are parsed before the GPU is ready
};

struct IndexPlan {
  ChunkForm form = ChunkForm::kPostings;
  ReaderLimits reader;
  ChunkLimits chunk;
  AssemblerLimits assembler;
  bool forced_blocks = false;             // --block-bytes: blocks may be smaller than a page
  std::size_t reserve_bytes = 0;          // program, list of files, stacks and slack, reserved from the start
  unsigned parsers = 1;                   // parsing threads
  std::size_t parser_bytes = 0;           // of one parsing thread
  std::size_t decoder_bytes = 0;          // of the content decoders of pages, shared ones included
  std::size_t run_memory_bytes = 0;       // runs kept in memory
  std::size_t last_run_memory_bytes = 0;  // added for the last run, when no block is filled any more
  std::size_t compaction_bytes = 0;       // for compacting runs while blocks are sorted; 0: off
  std::size_t run_block_bytes = 0;
  std::size_t id_sort_bytes = 0;
  unsigned blocks_in_flight = 2;          // one is filled, the others are sorted or written
  unsigned waiting_blocks = 0;            // more of them, which fill while the GPU is started
  std::size_t staging_bytes = 0;          // that the lanes may page-lock for uploads and lists
  std::size_t pinned_bytes = 0;           // GPU modes: pinned slots for tokens, from memory that nothing else needs
  std::size_t slot_bytes = 0;             // of one such slot
  std::size_t list_bytes = 0;             // GPU modes: downloaded lists that do not fit the pinned memory
  std::size_t fallback_bytes = 0;         // GPU modes: what sorting on the CPU instead may add to a block
  std::size_t encode_bytes = 0;           // encoded lists of all blocks that are not yet in their runs
  std::vector<MemoryConsumer> consumers;  // the solved table
  std::string describe() const;           // several lines
};

// The least --memory that plan_index accepts for this input.
std::size_t least_memory_bytes(const IndexPlanInput& input, const ContentOptions& options, const CorpusPlan& corpus);

// Throws BudgetError naming the --memory needed.
IndexPlan plan_index(const IndexPlanInput& input, const ContentOptions& options, const CorpusPlan& corpus);

// The limits of the smallest chunks that a plan makes.
ChunkLimits least_chunk();

// Memory of the process itself: what is resident before the work, stacks, slack.
std::size_t program_reserve_bytes(std::size_t program_bytes, unsigned threads);

// A job with a smaller budget is refused for any number of threads.
inline constexpr std::size_t kMinMemoryBytes = std::size_t{64} << 20;

}  // namespace spillway
