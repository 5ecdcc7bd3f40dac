// The report of an indexing job: the summary and the --json report of `spillway index` are printed from it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "corpora/document/sink.hpp"
#include "indexer/options/index_options.hpp"

namespace spillway {

// A record that is not indexed.
struct SkippedRecord {
  SkipReason reason = SkipReason::kBadJson;
  std::string path = {};     // empty: a document that was dropped after it had been read; `offset` is its number
  std::uint64_t offset = 0;  // after unpacking
  std::string detail = {};
  std::string id = {}, url = {};  // as far as they are known
};

struct StageStats {
  std::string name;         // parse, transfer up, sort, ... (indexer/job/index_job.cpp)
  double busy_seconds = 0;  // summed over threads
  double wall_seconds = 0;  // from the start of the stage to its end
  std::uint64_t bytes = 0;  // that the stage processed
};

struct IndexReport {
  std::uint64_t input_bytes = 0;    // as stored
  std::uint64_t resumed_bytes = 0;  // of them, the bytes that an interrupted job had done
  std::uint64_t records_in = 0, documents = 0, repaired = 0;
  // Of a job that appends: documents of the index before, of them replaced, and of the index now.
  std::uint64_t documents_before = 0, replaced_documents = 0, index_documents = 0;
  std::vector<std::pair<SkipReason, std::uint64_t>> skipped;  // reasons that occurred
  std::vector<SkippedRecord> examples;                        // the first few of each reason
  std::uint64_t occurrences = 0, postings = 0, terms = 0;
  std::uint64_t overlong_tokens = 0, fields_cut = 0;
  // runs: those that the final merge read. compacted_runs: runs of blocks that the compactions merged.
  std::uint64_t chunks = 0, blocks = 0, compacted_runs = 0, compactions = 0, runs = 0, runs_spilled = 0,
                merge_passes = 0, spilled_bytes = 0, peak_temp_bytes = 0;
  std::uint64_t pinned_chunks = 0;  // chunks of tokens in pinned memory, from where the GPU copies them
  std::uint64_t memory_bytes = 0, peak_resident_bytes = 0, index_bytes = 0;
  unsigned threads = 0;
  IndexMode mode = IndexMode::kAuto;  // that the job ran in
  std::string chunk_form;             // postings, tables or tokens
  std::uint64_t gpu_blocks = 0;       // sorted on a GPU
  std::uint64_t cpu_blocks = 0;       // sorted on the CPU although the mode is gpu or gpu+
  std::string gpu_failure;            // reason of the first such block; empty: none
  std::uint64_t gpu_postings = 0;     // of the runs, that a GPU merged
  double seconds = 0;
  std::vector<StageStats> stages;
  std::string bottleneck;  // name of the stage with the most busy time
  std::string plan;        // decisions and their reasons, for -v
};

}  // namespace spillway
