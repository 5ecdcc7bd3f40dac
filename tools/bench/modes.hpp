// `bench modes`: the modes of `index` over one corpus, in turns, and parsing alone.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "indexer/options/index_options.hpp"
#include "indexer/options/index_report.hpp"
#include "indexer/options/job_context.hpp"
#include "tools/bench/parsing.hpp"
#include "tools/bench/series.hpp"

namespace spillway {

// What one mode took, round by round. The counts are those of every round: another index is a std::logic_error.
struct ModeStats {
  std::string mode;                // as ModeJob has it
  std::string record_sorter;       // as it was asked for
  Series wall;                     // the whole job: to the published, synced index
  Series ingest;                   // from the start of reading to the last run durable or resident
  Series rest;                     // of the whole job, behind ingest: merge, write, sync
  std::vector<Series> to_parsing;  // ingest by parsing alone in the same round, for each of ModesStats::parsing
  std::vector<std::pair<std::string, Series>> busy;  // seconds by stage, summed over threads; in the order of the work
  std::map<std::string, std::uint64_t> stage_bytes;
  IndexReport report;  // of the last round
};

struct ModeJob {
  std::string mode;      // its name in tables: the mode, or the mode with what differs from the other jobs
  IndexOptions options;  // the output is chosen here
};

// Parsing alone, to chunks of one form.
struct ParsingSeries {
  ChunkForm form = ChunkForm::kTables;
  Series wall, busy;  // seconds
};

struct ModesStats {
  std::vector<ModeStats> modes;
  std::vector<ParsingSeries> parsing;  // to the form of the last job, and to tables; none where it was left out
  std::uint64_t input_bytes = 0;
};

enum class ParsingAlone : std::uint8_t { kMeasured, kLeftOut };

// A round that warms up and is not counted, then `rounds`. Parsing alone takes the plan of the last job, and, where
// that makes other chunks than tables, then that of cpu+ with a block-wide sorter. Indexes are made below `scratch` and
// removed; those of all modes and rounds must be the same bytes. Throws as run_index.
ModesStats measure_modes(const std::vector<ModeJob>& jobs, unsigned rounds, ParsingAlone parsing,
                         const std::string& scratch, const IndexContext& context);

std::string modes_table(const ModesStats& stats);  // tools/bench/modes_table.cpp
nlohmann::ordered_json mode_json(const ModesStats& all, const ModeStats& stats);

}  // namespace spillway
