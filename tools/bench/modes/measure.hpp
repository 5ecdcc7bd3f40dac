// `bench modes`: measures the modes of `index` over one corpus, in turn, and parsing alone.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "indexer/options/index_options.hpp"
#include "indexer/options/index_report.hpp"
#include "indexer/options/job_context.hpp"
#include "tools/bench/modes/parsing.hpp"
#include "tools/bench/series.hpp"

namespace spillway {

// The times of one mode, round by round.
struct ModeStats {
  std::string mode;                // that of its ModeJob
  std::string record_sorter;       // as requested
  Series wall;                     // the whole job, up to the published, synced index
  Series ingest;                   // from the start of reading until the last run is durable or complete in memory
  Series rest;                     // wall - ingest: merge, write, sync
  std::vector<Series> to_parsing;  // ingest / parsing alone in the same round, for each of ModesStats::parsing
  std::vector<std::pair<std::string, Series>> busy;  // seconds by stage, summed over threads, in order of the work
  std::map<std::string, std::uint64_t> stage_bytes;
  IndexReport report;  // of the last round
};

struct ModeJob {
  std::string mode;      // its name in tables, such as "gpu+" or "cpu:cpu-quick@1"
  IndexOptions options;  // measure_modes() sets the output
};

// Parsing alone, to chunks of one form.
struct ParsingSeries {
  ChunkForm form = ChunkForm::kTables;
  Series wall, busy;  // seconds
};

struct ModesStats {
  std::vector<ModeStats> modes;
  std::vector<ParsingSeries> parsing;  // to the form of the last job, and to tables; empty if left out
  std::uint64_t input_bytes = 0;
};

// Restarts peak_resident_bytes() (io/memory/budget.hpp) from the memory that is resident now, so that the peak of one
// of several jobs of this process can be measured. Returns false if the system does not allow it.
bool reset_peak_resident_bytes();

enum class ParsingAlone : std::uint8_t { kMeasured, kLeftOut };

// Runs a warm-up round, then `rounds` that count. Parsing alone uses the plan of the last job and, if that does not
// make tables, also the plan of cpu+ with a block-wide sorter. Makes indexes below `scratch` and removes them. Throws
// std::logic_error if the indexes of all modes and rounds are not equal byte for byte; otherwise as run_index.
ModesStats measure_modes(const std::vector<ModeJob>& jobs, unsigned rounds, ParsingAlone parsing,
                         const std::string& scratch, const IndexContext& context);

nlohmann::ordered_json mode_json(const ModesStats& all, const ModeStats& stats);

}  // namespace spillway
