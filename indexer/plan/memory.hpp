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
  unsigned threads = 1;
  IndexMode mode = IndexMode::kCpuPlus;
  ChunkForm form = ChunkForm::kPostings;
  std::uint64_t input_bytes = 0;         // as stored; 0 if unknown
  std::uint64_t forced_block_bytes = 0;  // --block-bytes
  // In a GPU mode with a GPU. Visits: blocks that may be sorted or written at once.
  unsigned visits = 0;
  std::size_t staging_bytes = 0;                              // pinned
  std::function<bool(const ChunkLimits&)> chunk_fits_device;  // may be empty
  // What sorting a chunk on the CPU instead may add to it; empty: five times the chunk.
  std::function<std::size_t(const ChunkLimits&)> cpu_sort_bytes;
  std::function<std::size_t(std::size_t)>
      block_limit;  // of the device: for a host block of so many bytes, at most that
};

struct IndexPlan {
  ChunkForm form = ChunkForm::kPostings;
  ReaderLimits reader;
  ChunkLimits chunk;
  AssemblerLimits assembler;
  std::size_t reserve_bytes = 0;          // program, stacks and slack, held back from the start
  std::size_t parser_bytes = 0;           // of one parsing thread
  std::size_t run_memory_bytes = 0;       // runs kept in memory
  std::size_t last_run_memory_bytes = 0;  // and so much more for the last, when no other block is filled any more
  std::size_t join_bytes = 0;             // of joining runs while blocks are sorted; 0: they are not joined
  std::size_t run_block_bytes = 0;
  std::size_t id_sort_bytes = 0;
  unsigned blocks_in_flight = 2;  // the one that is filled, and those that are sorted or written
  std::size_t staging_bytes = 0;  // pinned memory of the GPU's visits
  std::size_t slab_bytes = 0;     // GPU modes: of slabs for the tokens of chunks, of what nobody else has
  std::size_t slab_piece_bytes = 0;
  std::size_t list_bytes = 0;             // GPU modes: lists that come down and do not fit the pinned memory
  std::size_t fallback_bytes = 0;         // GPU modes: what sorting on the CPU instead may add to a block
  std::size_t encode_bytes = 0;           // lists of all blocks that are encoded and not yet in their runs
  std::vector<MemoryConsumer> consumers;  // the solved table
  std::string describe() const;
};

// The least --memory that plan_index accepts for this input.
std::size_t least_memory_bytes(const IndexPlanInput& input, const ContentOptions& options, const CorpusPlan& corpus);

// Throws BudgetError naming the --memory needed.
IndexPlan plan_index(const IndexPlanInput& input, const ContentOptions& options, const CorpusPlan& corpus);

// Of the smallest chunks that a plan makes.
ChunkLimits least_chunk();

// What the process itself takes beside the consumers of the budget: what is resident before the work, stacks, slack.
std::size_t program_reserve_bytes(std::size_t program_bytes, unsigned threads);

// The budget below which a job is refused, whatever its threads: 64 MiB (design, section 5).
inline constexpr std::size_t kMinMemoryBytes = std::size_t{64} << 20;

}  // namespace spillway
