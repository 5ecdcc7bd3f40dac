// Parsing alone: the input is read and parsed into blocks of the form that block-wide sorters or the GPU take
// (ChunkForm), and each block is dropped where it would be sorted. What ingest is measured against.
#pragma once

#include <cstdint>

#include "indexer/options/index_options.hpp"
#include "indexer/options/job_context.hpp"
#include "indexer/plan/chunk_form.hpp"

namespace spillway {

struct ParsingStats {
  double wall_seconds = 0;  // from the start of reading to the last block
  double busy_seconds = 0;  // summed over threads; reading and unpacking included
  std::uint64_t documents = 0, occurrences = 0, blocks = 0;
  ChunkForm form = ChunkForm::kTables;
};

// With the memory, threads and blocks that run_index would plan: for the mode, where that sorts on a GPU, else for cpu+
// with a block-wide sorter. `scratch`: a directory for records of streams that are too long for memory. Records that
// cannot be read are left out. Throws as run_index.
ParsingStats parse_alone(IndexOptions options, const std::string& scratch, const IndexContext& context);

}  // namespace spillway
