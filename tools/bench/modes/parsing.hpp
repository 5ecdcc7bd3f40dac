// Parsing alone, against which `bench modes` measures ingest: reads the input, parses it into blocks of chunks in the
// form of block-wide sorters or of the GPU (ChunkForm), and drops each block instead of sorting it.
#pragma once

#include <cstdint>

#include "indexer/options/index_options.hpp"
#include "indexer/options/job_context.hpp"
#include "indexer/plan/chunk_form.hpp"

namespace spillway {

struct ParsingStats {
  double wall_seconds = 0;  // from the start of reading to the last block
  double busy_seconds = 0;  // summed over threads, including reading and unpacking
  std::uint64_t documents = 0, occurrences = 0, blocks = 0;
  ChunkForm form = ChunkForm::kTables;
};

// Uses the memory, threads and blocks that run_index would plan for the mode, if it sorts on a GPU, or else for cpu+
// with a block-wide sorter. `scratch` is a directory for records of streams that do not fit in memory. Skips bad
// records. Throws as run_index.
ParsingStats parse_alone(IndexOptions options, const std::string& scratch, const IndexContext& context);

}  // namespace spillway
