// One indexing job from INPUT arguments to a published index: plan, ingest (parse, sort, spill), duplicate ids, merge,
// publish.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/reader/corpus_reader.hpp"
#include "io/base/error.hpp"
#include "io/file/file_system.hpp"
#include "io/format/content_options.hpp"

namespace spillway {

// Capannini et al. 2012, and the fair fourth (design, section 3). kAuto: gpu+ where a GPU can be used, else cpu+.
enum class IndexMode : std::uint8_t { kAuto, kCpu, kCpuPlus, kGpu, kGpuPlus };

// "auto", "cpu", "cpu+", "gpu", "gpu+".
std::string_view index_mode_name(IndexMode mode);
const std::vector<std::string>& index_mode_names();
inline bool sorts_on_gpu(IndexMode mode) { return mode == IndexMode::kGpu || mode == IndexMode::kGpuPlus; }
// Does parsing go on while a block is sorted?
inline bool overlaps(IndexMode mode) { return mode == IndexMode::kCpuPlus || mode == IndexMode::kGpuPlus; }

// What goes to a GPU: chunks with tables of terms (ChunkForm::kOccurrences), or all their tokens (kTokens).
enum class GpuChunks : std::uint8_t { kAuto, kTables, kTokens };

// "auto", "tables", "tokens".
const std::vector<std::string>& gpu_chunks_names();

// Which GPUs a job may use, and how far.
struct GpuOptions {
  std::vector<int> ids;            // empty: the first usable one
  std::uint64_t memory_bytes = 0;  // of device memory, on each; 0: most of what is free, as far as it is of use
  bool required = false;           // no sorting on the CPU instead
  GpuChunks chunks = GpuChunks::kAuto;
};

struct IndexOptions {
  std::vector<std::string> inputs;
  std::string output;
  ContentOptions content;  // the versions are filled in by run_index
  CorpusOptions corpus;    // max_document_bytes is taken from `content`
  IndexMode mode = IndexMode::kAuto;
  GpuOptions gpu;
  std::uint64_t memory_bytes = 0;             // 0: half of what is available
  unsigned threads = 0;                       // 0: as many as this process may run on
  std::string record_sorter = "auto";         // auto, cpu-chunk, or of record_sorters() and gpu_record_sorters()
  std::string string_sorter = "auto";         // auto, or of string_sorters() and gpu_string_sorters()
  std::vector<std::string> temp_directories;  // empty: beside the output
  std::uint64_t temp_limit_bytes = 0;         // 0: none
  std::uint64_t block_bytes = 0;              // 0: planned
  double max_error_rate = 0.01;
  bool strict = false;
  bool force = false;
};

struct SkippedRecord {  // one of the first few of each reason
  SkipReason reason;
  std::string path;
  std::uint64_t offset;
  std::string detail;
};

struct StageStats {
  std::string name;         // parse, transfer up, sort, ... (indexer/job/index_job.cpp)
  double busy_seconds = 0;  // summed over threads
  double wall_seconds = 0;  // from its start to its end
  std::uint64_t bytes = 0;  // what went through it
};

struct IndexReport {
  std::uint64_t input_bytes = 0;  // as stored
  std::uint64_t records_in = 0, documents = 0, repaired = 0;
  std::vector<std::pair<SkipReason, std::uint64_t>> skipped;  // those that occurred
  std::vector<SkippedRecord> examples;
  std::uint64_t occurrences = 0, postings = 0, terms = 0;
  std::uint64_t overlong_tokens = 0, fields_cut = 0;
  // Runs: that the merge took; joins made each of several runs of blocks.
  std::uint64_t chunks = 0, blocks = 0, joined_runs = 0, joins = 0, runs = 0, runs_spilled = 0, merge_passes = 0,
                spilled_bytes = 0, peak_temp_bytes = 0;
  std::uint64_t slab_chunks = 0;  // chunks of tokens that stood where a GPU copies from
  std::uint64_t memory_bytes = 0, peak_resident_bytes = 0, index_bytes = 0;
  unsigned threads = 0;
  IndexMode mode = IndexMode::kAuto;  // the one that was taken
  std::string chunk_form;             // postings, tables or tokens
  std::uint64_t gpu_blocks = 0;       // sorted on a GPU
  std::uint64_t cpu_blocks = 0;       // sorted on the CPU though the mode is gpu or gpu+
  std::string gpu_failure;            // why, the first time; empty if there was none
  double seconds = 0;
  std::vector<StageStats> stages;
  std::string bottleneck;  // name of the stage with the most busy time
  std::string plan;        // what was decided and why, for -v
};

// What a progress line shows; read at any time from another thread.
struct IndexProgress {
  std::atomic<const char*> stage{"plan"};
  std::atomic<std::uint64_t> bytes_done{0}, bytes_total{0}, documents{0}, runs{0};
  std::atomic<std::uint64_t> postings_done{0}, postings_total{0};  // while merging
};

struct IndexContext {
  FileSystem& files;
  std::atomic<int>& signal_number;  // not 0: stop, clean up, throw InterruptedError
  IndexProgress& progress;
  std::function<void(const std::string&)> warn;  // words for stderr; called from one thread at a time
  std::function<void(const std::string&)> say;   // words for -v: the plan
};

// Throws InterruptedError if the user has stopped the job.
inline void throw_if_stopped(const IndexContext& context) {
  if (const int number = context.signal_number.load(std::memory_order_relaxed)) throw InterruptedError(number);
}

// Throws Error with the exit code of the command; then neither index nor scratch files are left (with InputError: the
// report so far is in `report`).
void run_index(const IndexOptions& options, const IndexContext& context, IndexReport& report);

}  // namespace spillway
