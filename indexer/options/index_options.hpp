// The options of an indexing job (`spillway index`), as run_index (indexer/job/index_job.hpp) and the plan
// (indexer/plan/job.hpp) take them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/reader/corpus_reader.hpp"
#include "io/format/content_options.hpp"
#include "sort/sorters.hpp"

namespace spillway {

// The three modes of Capannini et al. 2012 and `cpu+`, their fair opponent (docs/tuning.md). The plan resolves kAuto.
enum class IndexMode : std::uint8_t { kAuto, kCpu, kCpuPlus, kGpu, kGpuPlus };

// "auto", "cpu", "cpu+", "gpu", "gpu+".
std::string_view index_mode_name(IndexMode mode);
const std::vector<std::string>& index_mode_names();
inline bool sorts_on_gpu(IndexMode mode) { return mode == IndexMode::kGpu || mode == IndexMode::kGpuPlus; }
// Returns whether parsing continues while a block is sorted.
inline bool overlaps(IndexMode mode) { return mode == IndexMode::kCpuPlus || mode == IndexMode::kGpuPlus; }

// The form of the chunks that a GPU sorts: tables of terms (ChunkForm::kTables) or all tokens (kTokens).
enum class GpuChunks : std::uint8_t { kAuto, kTables, kTokens };

// "auto", "tables", "tokens".
const std::vector<std::string>& gpu_chunks_names();

// Whether GPUs that have sorted blocks merge their lists, too: where the merge is long (kAuto), always, or never.
enum class GpuMerge : std::uint8_t { kAuto, kAlways, kNever };

// "auto", "always", "never".
const std::vector<std::string>& gpu_merge_names();

struct GpuOptions {
  std::vector<int> ids;            // empty: the first usable GPU
  std::uint64_t memory_bytes = 0;  // on each GPU; 0: as much as blocks can use, at most 80 % of what is free
  bool required = false;           // fail instead of sorting on the CPU
  GpuChunks chunks = GpuChunks::kAuto;
  GpuMerge merge = GpuMerge::kAuto;
};

// A job that can go on after an interruption (indexer/resume/checkpoints.hpp).
struct ResumeOptions {
  bool resumable = false;
  bool restart = false;  // discards an interrupted job instead of going on with it, or of refusing to begin
  std::string release;   // of the program; another one may not go on
};

// What happens to appended documents whose ids are in the index already.
enum class KnownIds : std::uint8_t {
  kRefuse,   // the job fails; if the index keeps duplicate ids, it takes both documents
  kReplace,  // the new document replaces the old one. Requires: the index keeps no duplicate ids
  kSkip,     // the old document stays, and the new one counts as skipped
};

// Which documents are dropped because an earlier one is the same: none, those with the same title and text, or
// those with the same URL.
enum class Dedup : std::uint8_t { kNone, kExact, kUrl };

// "none", "exact", "url".
const std::vector<std::string>& dedup_names();

// These jobs take space for their lists while they parse, if the index is in memory.
struct SpaceAheadOptions {
  std::uint64_t least_index_bytes = std::uint64_t{256} << 20;  // as the plan estimates it
  unsigned least_threads = 8;                                  // with few threads, parsing takes all
  std::uint64_t step_bytes = std::uint64_t{32} << 20;          // 8 ms
};

struct IndexOptions {
  std::vector<std::string> inputs;
  std::string output;
  ContentOptions content;  // run_index fills in the versions of libraries
  CorpusOptions corpus;    // max_document_bytes is taken from `content`
  IndexMode mode = IndexMode::kAuto;
  GpuOptions gpu;
  Dedup dedup = Dedup::kNone;
  std::uint64_t memory_bytes = 0;  // 0: half of what is available
  // The budget is charged this for the program itself: nothing, so all that is resident; in a process that does other
  // things too, kLibraryProgramBytes (io/memory/program_bytes.hpp).
  std::optional<std::size_t> program_bytes = std::nullopt;
  unsigned threads = 0;                       // 0: one for each processor that this process may run on
  std::string record_sorter = "auto";         // auto, cpu-chunk, or a name in record_sorters()
  std::string string_sorter = "auto";         // auto, or a name in string_sorters()
  std::vector<std::string> temp_directories;  // empty: beside the output
  std::uint64_t temp_limit_bytes = 0;         // 0: no limit
  std::uint64_t block_bytes = 0;              // 0: planned
  double max_error_rate = 0.01;
  bool strict = false;
  bool force = false;
  // Adds the input to the index at `output`, which is replaced; `content` is that of the index.
  std::optional<KnownIds> append;
  bool replace_urls = false;  // with `append`: documents of the index make way for those of the input with their URL
  ResumeOptions resume;
  SpaceAheadOptions space_ahead = {};
};

}  // namespace spillway
