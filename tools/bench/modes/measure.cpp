#include "tools/bench/modes/measure.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "indexer/job/index_job.hpp"
#include "io/scratch/job_files.hpp"
#include "tools/bench/modes/timed_reads.hpp"

namespace spillway {

namespace {

constexpr std::size_t kManifestBytes = std::size_t{1} << 20;

struct ModeRound {
  IndexReport report;
  double read_seconds = 0;
  std::uint64_t read_bytes = 0;
  std::string manifest;  // holds a hash of every file of the index
};

const StageStats& stage(const IndexReport& report, std::string_view name) {
  const auto found = std::find_if(report.stages.begin(), report.stages.end(),
                                  [&](const StageStats& figure) { return figure.name == name; });
  if (found == report.stages.end()) throw std::logic_error("a job has no stage " + std::string(name));
  return *found;
}

ModeRound run_mode(const ModeJob& job, const std::string& scratch, const IndexContext& context) {
  ReadTimes times;
  std::vector<std::string> own_directories = job.options.temp_directories;
  own_directories.push_back(scratch);
  const auto files = make_timed_reads(context.files, own_directories, times);
  IndexProgress progress;
  IndexOptions options = job.options;
  options.output = scratch + "/index";
  ModeRound round;
  const bool is_own_peak = reset_peak_resident_bytes();  // otherwise the peak of earlier modes counts
  run_index(options, {*files, context.signal_number, progress, context.warn, context.say}, round.report);
  if (!is_own_peak) round.report.peak_resident_bytes = 0;
  round.read_seconds = static_cast<double>(times.nanoseconds.load()) / 1e9;
  round.read_bytes = times.bytes.load();
  round.manifest = read_file(context.files, options.output + "/manifest", kManifestBytes);
  remove_job_files(context.files, options.output);
  context.files.remove(options.output);
  return round;
}

void add_busy(ModeStats& stats, const std::string& name, double seconds, std::uint64_t bytes) {
  auto found = std::find_if(stats.busy.begin(), stats.busy.end(), [&](const auto& of) { return of.first == name; });
  if (found == stats.busy.end()) found = stats.busy.insert(stats.busy.end(), {name, {}});
  found->second.add(seconds);
  stats.stage_bytes[name] = bytes;
}

void add_round(ModeStats& stats, const ModeRound& round) {
  stats.wall.add(round.report.seconds);
  stats.ingest.add(stage(round.report, "parse").wall_seconds);
  stats.rest.add(stats.wall.rounds().back() - stats.ingest.rounds().back());
  add_busy(stats, "read", round.read_seconds, round.read_bytes);
  for (const StageStats& of : round.report.stages) {
    // Reading is part of parsing, on the same threads; it is listed by itself here.
    const double seconds = of.name == "parse" ? std::max(0.0, of.busy_seconds - round.read_seconds) : of.busy_seconds;
    add_busy(stats, of.name, seconds, of.bytes);
  }
  stats.report = round.report;
}

class ModesBench {
 public:
  ModesBench(const std::vector<ModeJob>& jobs, ParsingAlone parsing, const std::string& scratch,
             const IndexContext& context)
      : jobs_(jobs), parsing_(parsing), scratch_(scratch), context_(context) {
    for (const ModeJob& job : jobs) {
      stats_.modes.emplace_back();
      stats_.modes.back().mode = job.mode;
      stats_.modes.back().record_sorter = job.options.record_sorter;
    }
  }

  void run_round(bool counts) {
    if (parsing_ == ParsingAlone::kMeasured) parse_all(counts);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const ModeRound round = run_mode(jobs_[i], scratch_, context_);
      check_index(jobs_[i].mode, round.manifest);
      stats_.input_bytes = round.report.input_bytes;
      if (!counts) continue;
      add_round(stats_.modes[i], round);
      add_ratios(stats_.modes[i]);
    }
  }
  const ModesStats& stats() const { return stats_; }

 private:
  // To the form of the last job, and to tables.
  void parse_all(bool counts) {
    IndexOptions options = jobs_.back().options;
    if (parse(options, 0, counts) == ChunkForm::kTables) return;
    options.mode = IndexMode::kCpuPlus;
    options.string_sorter = "auto";
    options.gpu = {};
    parse(options, 1, counts);
  }

  ChunkForm parse(const IndexOptions& options, std::size_t place, bool counts) {
    const ParsingStats parsed = parse_alone(options, scratch_, context_);
    if (!counts) return parsed.form;
    if (place == stats_.parsing.size()) stats_.parsing.emplace_back();
    ParsingSeries& series = stats_.parsing[place];
    series.form = parsed.form;
    series.wall.add(parsed.wall_seconds);
    series.busy.add(parsed.busy_seconds);
    return parsed.form;
  }

  void add_ratios(ModeStats& mode) const {
    mode.to_parsing.resize(stats_.parsing.size());
    for (std::size_t i = 0; i < stats_.parsing.size(); ++i) {
      const double parsing = std::max(stats_.parsing[i].wall.rounds().back(), 1e-9);
      mode.to_parsing[i].add(mode.ingest.rounds().back() / parsing);
    }
  }

  void check_index(const std::string& mode, const std::string& manifest) {
    if (manifest_.empty()) manifest_ = manifest;
    if (manifest != manifest_) throw std::logic_error("mode " + mode + " makes another index than the first: no times");
  }

  const std::vector<ModeJob>& jobs_;
  ParsingAlone parsing_;
  const std::string& scratch_;
  const IndexContext& context_;
  ModesStats stats_;
  std::string manifest_;
};

}  // namespace

bool reset_peak_resident_bytes() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

ModesStats measure_modes(const std::vector<ModeJob>& jobs, unsigned rounds, ParsingAlone parsing,
                         const std::string& scratch, const IndexContext& context) {
  ModesBench bench(jobs, parsing, scratch, context);
  bench.run_round(false);
  for (unsigned round = 0; round < rounds; ++round) bench.run_round(true);
  return bench.stats();
}

nlohmann::ordered_json mode_json(const ModesStats& all, const ModeStats& stats) {
  nlohmann::ordered_json to_parsing = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < all.parsing.size(); ++i) {
    to_parsing[std::string(chunk_form_name(all.parsing[i].form))] = series_json(stats.to_parsing[i]);
  }
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  for (const auto& [name, series] : stats.busy) {
    stages.push_back({{"name", name}, {"bytes", stats.stage_bytes.at(name)}, {"busy_seconds", series_json(series)}});
  }
  const auto per_second = [](std::uint64_t count, const Series& series) {
    return static_cast<double>(count) / std::max(series.median(), 1e-9);
  };
  const std::uint64_t peak = stats.report.peak_resident_bytes;  // 0: not known
  return {{"mode", stats.mode},
          {"wall_seconds", series_json(stats.wall)},
          {"ingest_seconds", series_json(stats.ingest)},
          {"ingest_to_parsing", to_parsing},
          {"rest_seconds", series_json(stats.rest)},
          {"record_sorter", stats.record_sorter},
          {"bytes_per_second", per_second(all.input_bytes, stats.wall)},
          {"ingest_bytes_per_second", per_second(all.input_bytes, stats.ingest)},
          {"postings_per_second", per_second(stats.report.postings, stats.wall)},
          {"chunk_form", stats.report.chunk_form},
          {"threads", stats.report.threads},
          {"memory_bytes", stats.report.memory_bytes},
          {"peak_resident_bytes", peak == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(peak)},
          {"runs", stats.report.runs},
          {"runs_spilled", stats.report.runs_spilled},
          {"merge_passes", stats.report.merge_passes},
          {"blocks_on_gpu", stats.report.gpu_blocks},
          {"index_bytes", stats.report.index_bytes},
          {"stages", stages}};
}

}  // namespace spillway
