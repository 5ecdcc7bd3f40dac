#include "tools/bench/calibrate/calibration.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "corpora/synthetic/generate_text.hpp"
#include "corpora/synthetic/string_sets.hpp"
#include "indexer/job/index_job.hpp"
#include "io/scratch/job_files.hpp"
#include "sort/sorters.hpp"
#include "tools/bench/sorts/strings.hpp"
#include "tools/cli/output.hpp"
#include "tools/cli/signals.hpp"
#include "tools/doctor/disk_probe.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

// Bits of a block's keys: 40 for a few million terms and the documents of a block, 64 at most.
constexpr std::array<unsigned, 2> kKeyBits{40, 64};
constexpr unsigned kBlockKeyBits = 40;
constexpr std::array<const char*, 3> kSets{"words-dup", "url", "pc-filelist"};

// Words are equally frequent, so that the number of terms of a run follows from its occurrences. 200,000 make the terms
// of many runs cost more than the noise of a measurement; with 5,000 their cost is negligible compared to postings.
constexpr std::uint64_t kWords = 200'000;
constexpr std::uint64_t kFewWords = 5000;
constexpr std::uint64_t kFewBlocks = 2, kManyBlocks = 16;
// Bytes that a parsed block and its sort need per byte of text, about.
constexpr std::uint64_t kBlockBytesOfText = 10;

template <typename Sorter>
std::vector<const Sorter*> usable_sorters(const std::vector<const Sorter*>& of_cpu,
                                          const std::vector<const Sorter*>& of_gpu, bool has_gpu) {
  std::vector<const Sorter*> sorters = of_cpu;
  if (has_gpu) sorters.insert(sorters.end(), of_gpu.begin(), of_gpu.end());
  return sorters;
}

double seconds_each(const Series& series, std::uint64_t count) {
  return series.median() / static_cast<double>(std::max<std::uint64_t>(1, count));
}

// The expected number of terms of all runs: a run with k occurrences of n equally frequent words has n (1 - e^(-k/n)).
std::uint64_t expected_entries(const IndexReport& report, std::uint64_t distinct) {
  const double words = static_cast<double>(distinct), runs = static_cast<double>(report.runs);
  const double of_run = static_cast<double>(report.occurrences) / runs;
  return static_cast<std::uint64_t>(runs * words * (1 - std::exp(-of_run / words)));
}

std::string text_path(const std::string& scratch) { return scratch + "/" + kScratchFilePrefix + "text.jsonl"; }

// Indexes the text in blocks of this size and returns the time of the merge.
Calibrator::MergeRound merge_round(Session& session, const BenchOptions& options, const std::string& scratch,
                                   std::uint64_t words, std::uint64_t block_bytes) {
  IndexOptions index;
  index.inputs = {text_path(scratch)};
  index.output = scratch + "/index";
  index.content.tokenizer = Tokenizer::kAscii;  // the text is ASCII, and the merge does not depend on it
  index.mode = IndexMode::kCpuPlus;
  index.memory_bytes = options.memory_bytes;
  index.threads = options.threads;
  index.record_sorter = "cpu-radix";  // cpu-chunk would keep resident blocks as chunks; blocks of a GPU are runs
  index.block_bytes = block_bytes;
  IndexProgress progress;
  IndexReport report;
  run_index(index,
            {session.files, session.signal_number, progress,
             [](const std::string& text) { print_message("bench calibrate: " + text); }, [](const std::string&) {}},
            report);
  remove_job_files(session.files, index.output);
  session.files.remove(index.output);
  Calibrator::MergeRound round{0, report.runs, expected_entries(report, words), report.postings};
  for (const StageStats& stage : report.stages) {
    if (stage.name == "merge") round.seconds = stage.wall_seconds;
  }
  if (report.merge_passes > 1 || report.runs_spilled != 0) {
    throw BudgetError("--memory is too small to merge the benchmark's text in memory in one pass: give more");
  }
  return round;
}

ordered_json merge_json(const Calibrator::MergeSeries& series) {
  return {{"runs", series.last.runs},
          {"entries", series.last.entries},
          {"postings", series.last.postings},
          {"merge_seconds", series_json(series.seconds)}};
}

void write_text(Session& session, const std::string& path, std::uint64_t words, std::uint64_t bytes, unsigned threads) {
  GenerateTextOptions text;
  text.total_bytes = bytes;
  text.vocabulary = words;
  text.exponent = 0;
  text.threads = threads;
  const auto file = session.files.create(path);
  generate_text(text, [&](std::string_view fragment) {
    throw_if_interrupted(session.signal_number);
    file->append({reinterpret_cast<const std::uint8_t*>(fragment.data()), fragment.size()});
  });
  file->close();
}

}  // namespace

Calibrator::Calibrator(Session& session, const BenchOptions& options, const CalibrationSizes& sizes,
                       std::string scratch)
    : session_(session),
      options_(options),
      sizes_(sizes),
      scratch_(std::move(scratch)),
      budget_(static_cast<std::size_t>(options.memory_bytes)) {}

void Calibrator::check_signal() const { throw_if_interrupted(session_.signal_number); }

SortPlace Calibrator::place() const {
  SortPlace place;
  place.threads = options_.threads;
  place.gpu = options_.gpu;
  return place;
}

void Calibrator::measure_records() {
  const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, options_.threads);
  const auto sorters = usable_sorters(record_sorters(), gpu_record_sorters(), options_.gpu.has_value());
  const std::uint64_t bytes = sizes_.keys * sizeof(std::uint64_t);
  ordered_json& costs = result_.costs;
  costs["radix_second_per_record"] = costs["bitonic_second_per_record"] = nullptr;
  costs["up_bytes_per_second"] = costs["down_bytes_per_second"] = nullptr;
  for (const unsigned bits : kKeyBits) {
    RecordInput input({{KeyDistribution::kUniform, sizes_.keys, bits, options_.seed}, RecordForm::kKeys},
                      options_.threads, budget_);
    const auto stats =
        measure_sorts(timed_record_sorts(sorters, input, place(), budget_), options_.rounds, [&] { check_signal(); });
    for (const SorterStats& of : stats) {
      costs["second_per_record"][std::to_string(bits) + "_bits"][of.name] = seconds_each(of.sort, sizes_.keys);
      result_.measurements["records"][std::to_string(bits) + "_bits"].push_back(sorter_json(of, sizes_.keys));
      if (bits != kBlockKeyBits || !of.on_gpu) continue;
      if (of.name == "gpu-radix") costs["radix_second_per_record"] = seconds_each(of.sort, sizes_.keys);
      if (of.name == "gpu-bitonic") costs["bitonic_second_per_record"] = seconds_each(of.sort, sizes_.keys);
      costs["up_bytes_per_second"] = 1 / seconds_each(of.up, bytes);
      costs["down_bytes_per_second"] = 1 / seconds_each(of.down, bytes);
    }
  }
}

void Calibrator::measure_strings() {
  const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, options_.threads);
  const auto sorters = usable_sorters(string_sorters(), gpu_string_sorters(), options_.gpu.has_value());
  for (const char* name : kSets) {
    StringInput input(*find_string_set(name).make(options_.seed), sizes_.strings, options_.threads, budget_);
    const auto stats =
        measure_sorts(timed_string_sorts(sorters, input, place(), budget_), options_.rounds, [&] { check_signal(); });
    result_.measurements["strings"][name]["set"] = string_set_json(input.stats());
    for (const SorterStats& of : stats) {
      result_.costs["second_per_string"][name][of.name] = seconds_each(of.sort, sizes_.strings);
      result_.measurements["strings"][name]["sorters"].push_back(sorter_json(of, sizes_.strings));
    }
  }
}

void Calibrator::measure_disk_speed() {
  Series write, read;
  for (unsigned round = 0; round < options_.rounds; ++round) {
    const DiskSpeed speed = measure_disk(scratch_, sizes_.disk_bytes, session_.signal_number);
    write.add(static_cast<double>(sizes_.disk_bytes) / speed.write_bytes_per_second);
    read.add(static_cast<double>(sizes_.disk_bytes) / speed.read_bytes_per_second);
  }
  result_.costs["disk_write_bytes_per_second"] = 1 / seconds_each(write, sizes_.disk_bytes);
  result_.costs["disk_read_bytes_per_second"] = 1 / seconds_each(read, sizes_.disk_bytes);
  result_.measurements["disk"] = {
      {"bytes", sizes_.disk_bytes}, {"write_seconds", series_json(write)}, {"read_seconds", series_json(read)}};
}

std::vector<Calibrator::MergeSeries> Calibrator::merge_rounds(std::uint64_t words,
                                                              const std::vector<std::uint64_t>& blocks) {
  const std::string path = text_path(scratch_);
  write_text(session_, path, words, sizes_.text_bytes, options_.threads);
  std::vector<MergeSeries> all(blocks.size());
  for (unsigned round = 0; round <= options_.rounds; ++round) {  // round 0 warms up
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::uint64_t block_bytes = kBlockBytesOfText * sizes_.text_bytes / blocks[i];
      all[i].last = merge_round(session_, options_, scratch_, words, block_bytes);
      if (round != 0) all[i].seconds.add(all[i].last.seconds);
    }
  }
  session_.files.remove(path);
  return all;
}

// The same postings in few and in many runs: the difference is the cost of the entries. The cost of postings is
// measured with few entries.
void Calibrator::measure_merge() {
  const MergeSeries postings = merge_rounds(kFewWords, {kFewBlocks})[0];
  const std::vector<MergeSeries> both = merge_rounds(kWords, {kFewBlocks, kManyBlocks});
  const MergeSeries &few = both[0], &many = both[1];
  if (many.last.entries <= few.last.entries) throw UsageError("--text is too small for several runs: give more");
  Series per_entry;
  for (std::size_t i = 0; i < many.seconds.rounds().size(); ++i) {
    per_entry.add((many.seconds.rounds()[i] - few.seconds.rounds()[i]) /
                  static_cast<double>(many.last.entries - few.last.entries));
  }
  result_.costs["merge_second_per_posting"] = seconds_each(postings.seconds, postings.last.postings);
  result_.costs["merge_second_per_entry"] = std::max(0.0, per_entry.median());
  result_.measurements["merge"] = {{"few_words", merge_json(postings)},
                                   {"few_runs", merge_json(few)},
                                   {"many_runs", merge_json(many)},
                                   {"second_per_entry", series_json(per_entry)}};
}

namespace {

// One line per number, with the names that lead to it.
void add_lines(const ordered_json& costs, const std::string& path, std::string& text) {
  for (const auto& [name, value] : costs.items()) {
    const std::string full = path.empty() ? name : path + ", " + name;
    if (value.is_object()) {
      add_lines(value, full, text);
      continue;
    }
    std::array<char, 48> number{};
    if (value.is_number()) {
      const double cost = value.get<double>();
      std::snprintf(number.data(), number.size(), cost < 1 ? "%.4g ns" : "%.4g", cost < 1 ? 1e9 * cost : cost);
    }
    text += "  " + left_aligned(full, 52) + right_aligned(value.is_null() ? "no GPU" : number.data(), 16) + "\n";
  }
}

}  // namespace

std::string calibration_table(const Calibration& calibration) {
  std::string text = "\n";
  add_lines(calibration.costs, "", text);
  return text;
}

}  // namespace spillway
