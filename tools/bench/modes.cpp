#include "tools/bench/modes.hpp"

#include <algorithm>
#include <stdexcept>

#include "tools/bench/peak.hpp"
#include "tools/bench/timed_reads.hpp"

namespace spillway {

namespace {

constexpr std::size_t kManifestBytes = std::size_t{1} << 20;

struct ModeRound {
  IndexReport report;
  double read_seconds = 0;
  std::uint64_t read_bytes = 0;
  std::string manifest;  // has a hash of every file of the index
};

const StageFigure& stage(const IndexReport& report, std::string_view name) {
  const auto found = std::find_if(report.stages.begin(), report.stages.end(),
                                  [&](const StageFigure& figure) { return figure.name == name; });
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
  const bool is_own_peak = reset_peak_resident_bytes();  // and not that of the modes before
  run_index(options, {*files, context.signal_number, progress, context.warn, context.say}, round.report);
  if (!is_own_peak) round.report.peak_resident_bytes = 0;
  round.read_seconds = static_cast<double>(times.nanoseconds.load()) / 1e9;
  round.read_bytes = times.bytes.load();
  round.manifest = read_file(context.files, options.output + "/manifest", kManifestBytes);
  context.files.remove_tree(options.output);
  return round;
}

void add_busy(ModeFigures& figures, const std::string& name, double seconds, std::uint64_t bytes) {
  auto found = std::find_if(figures.busy.begin(), figures.busy.end(), [&](const auto& of) { return of.first == name; });
  if (found == figures.busy.end()) found = figures.busy.insert(figures.busy.end(), {name, {}});
  found->second.add(seconds);
  figures.stage_bytes[name] = bytes;
}

void add_round(ModeFigures& figures, const ModeRound& round) {
  figures.wall.add(round.report.seconds);
  figures.ingest.add(stage(round.report, "parse").wall_seconds);
  figures.rest.add(figures.wall.rounds().back() - figures.ingest.rounds().back());
  add_busy(figures, "read", round.read_seconds, round.read_bytes);
  for (const StageFigure& of : round.report.stages) {
    // Reading is inside of parsing, on the same threads; it stands by itself here.
    const double seconds = of.name == "parse" ? std::max(0.0, of.busy_seconds - round.read_seconds) : of.busy_seconds;
    add_busy(figures, of.name, seconds, of.bytes);
  }
  figures.report = round.report;
}

class ModesBench {
 public:
  ModesBench(const std::vector<ModeJob>& jobs, ParsingAlone parsing, const std::string& scratch,
             const IndexContext& context)
      : jobs_(jobs), parsing_(parsing), scratch_(scratch), context_(context) {
    for (const ModeJob& job : jobs) {
      figures_.modes.emplace_back();
      figures_.modes.back().mode = job.mode;
      figures_.modes.back().record_sorter = job.options.record_sorter;
    }
  }

  void run_round(bool counts) {
    if (parsing_ == ParsingAlone::kMeasured) parse_all(counts);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const ModeRound round = run_mode(jobs_[i], scratch_, context_);
      check_index(jobs_[i].mode, round.manifest);
      figures_.input_bytes = round.report.input_bytes;
      if (!counts) continue;
      add_round(figures_.modes[i], round);
      add_ratios(figures_.modes[i]);
    }
  }
  const ModesFigures& figures() const { return figures_; }

 private:
  // To the form that the last job takes, and to tables.
  void parse_all(bool counts) {
    IndexOptions options = jobs_.back().options;
    if (parse(options, 0, counts) == ChunkForm::kOccurrences) return;
    options.mode = IndexMode::kCpuPlus;
    options.string_sorter = "auto";
    options.gpu = {};
    parse(options, 1, counts);
  }

  ChunkForm parse(const IndexOptions& options, std::size_t place, bool counts) {
    const ParsingFigures parsed = parse_alone(options, scratch_, context_);
    if (!counts) return parsed.form;
    if (place == figures_.parsing.size()) figures_.parsing.emplace_back();
    ParsingSeries& series = figures_.parsing[place];
    series.form = parsed.form;
    series.wall.add(parsed.wall_seconds);
    series.busy.add(parsed.busy_seconds);
    return parsed.form;
  }

  void add_ratios(ModeFigures& mode) const {
    mode.to_parsing.resize(figures_.parsing.size());
    for (std::size_t i = 0; i < figures_.parsing.size(); ++i) {
      const double parsing = std::max(figures_.parsing[i].wall.rounds().back(), 1e-9);
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
  ModesFigures figures_;
  std::string manifest_;
};

}  // namespace

ModesFigures measure_modes(const std::vector<ModeJob>& jobs, unsigned rounds, ParsingAlone parsing,
                           const std::string& scratch, const IndexContext& context) {
  ModesBench bench(jobs, parsing, scratch, context);
  bench.run_round(false);
  for (unsigned round = 0; round < rounds; ++round) bench.run_round(true);
  return bench.figures();
}

nlohmann::ordered_json mode_json(const ModesFigures& all, const ModeFigures& figures) {
  nlohmann::ordered_json to_parsing = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < all.parsing.size(); ++i) {
    to_parsing[std::string(chunk_form_name(all.parsing[i].form))] = series_json(figures.to_parsing[i]);
  }
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  for (const auto& [name, series] : figures.busy) {
    stages.push_back({{"name", name}, {"bytes", figures.stage_bytes.at(name)}, {"busy_seconds", series_json(series)}});
  }
  const auto per_second = [](std::uint64_t count, const Series& series) {
    return static_cast<double>(count) / std::max(series.median(), 1e-9);
  };
  const std::uint64_t peak = figures.report.peak_resident_bytes;  // 0: not known
  return {{"mode", figures.mode},
          {"wall_seconds", series_json(figures.wall)},
          {"ingest_seconds", series_json(figures.ingest)},
          {"ingest_to_parsing", to_parsing},
          {"rest_seconds", series_json(figures.rest)},
          {"record_sorter", figures.record_sorter},
          {"bytes_per_second", per_second(all.input_bytes, figures.wall)},
          {"ingest_bytes_per_second", per_second(all.input_bytes, figures.ingest)},
          {"postings_per_second", per_second(figures.report.postings, figures.wall)},
          {"chunk_form", figures.report.chunk_form},
          {"threads", figures.report.threads},
          {"memory_bytes", figures.report.memory_bytes},
          {"peak_resident_bytes", peak == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(peak)},
          {"runs", figures.report.runs},
          {"runs_spilled", figures.report.runs_spilled},
          {"merge_passes", figures.report.merge_passes},
          {"blocks_on_gpu", figures.report.gpu_blocks},
          {"index_bytes", figures.report.index_bytes},
          {"stages", stages}};
}

}  // namespace spillway
