#include "tools/bench/paper/runner.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <utility>

#include "corpora/synthetic/derived_sets.hpp"
#include "corpora/synthetic/string_sets.hpp"
#include "sort/sorters.hpp"
#include "sort/string_histograms.hpp"
#include "tools/bench/modes/measure.hpp"
#include "tools/bench/modes/variant.hpp"
#include "tools/bench/sorts/gpu.hpp"
#include "tools/bench/sorts/records.hpp"
#include "tools/bench/sorts/strings.hpp"
#include "tools/bench/text_file.hpp"
#include "tools/cli/signals.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

std::vector<const RecordSorter*> all_sorters(const RecordSorter*) {
  std::vector<const RecordSorter*> all = record_sorters();
  for (const RecordSorter* sorter : gpu_record_sorters()) all.push_back(sorter);
  return all;
}

std::vector<const StringSorter*> all_sorters(const StringSorter*) {
  std::vector<const StringSorter*> all = string_sorters();
  for (const StringSorter* sorter : gpu_string_sorters()) all.push_back(sorter);
  return all;
}

KeyDistribution distribution_of(const std::string& name) {
  for (const KeyDistributionText& text : key_distributions()) {
    if (text.name == name) return text.distribution;
  }
  throw std::logic_error("no distribution is named " + name);
}

// 1, 2, 4, ... and `most`.
std::vector<unsigned> thread_counts(unsigned most) {
  std::vector<unsigned> counts;
  for (unsigned threads = 1; threads < most; threads *= 2) counts.push_back(threads);
  counts.push_back(most);
  return counts;
}

ordered_json figures_json(const std::vector<PaperSeries>& figures) {
  ordered_json all = ordered_json::array();
  for (const PaperSeries& series : figures) {
    ordered_json points = ordered_json::array();
    for (const PaperPoint& point : series.points) points.push_back({{"at", point.at}, {"value", point.value}});
    all.push_back({{"name", series.name}, {"unit", series.unit}, {"points", std::move(points)}});
  }
  return all;
}

constexpr std::uint64_t kStringsOfOneLength = 1'000'000;
constexpr unsigned kQuickArrays = 3;
constexpr double kAboveGpuMemory = 1.01;     // bytes of strings that exceed the GPU's memory, to that memory
constexpr std::uint64_t kBesideString = 70;  // bytes of an input and of a sorter's scratch beside each string

// A set of a StringsRun with its name in reports and its number of strings.
struct NamedSet {
  std::string name;
  std::uint64_t count;
  MadeStringSet set;
};

NamedSet scaled_set(const std::string& name, const TieScale& scale, std::uint64_t seed) {
  const StringSetText& text = find_string_set(name);
  if (scale.keep_every > 1) {
    return {name + ", 1 byte of " + std::to_string(scale.keep_every), text.count,
            make_every_kth_byte(text.make(seed), scale.keep_every)};
  }
  if (scale.repeat > 1) {
    return {name + ", each byte " + std::to_string(scale.repeat) + " times", text.count,
            make_repeated_bytes(text.make(seed), scale.repeat)};
  }
  return {name, text.count, text.make(seed)};
}

std::vector<NamedSet> sets_of(const StringsRun& run, std::uint64_t seed) {
  std::vector<NamedSet> sets;
  for (const std::string& name : run.sets) {
    for (const TieScale& scale : run.scales) sets.push_back(scaled_set(name, scale, seed));
  }
  for (const unsigned bytes : run.lengths) {
    sets.push_back({std::to_string(bytes) + " bytes", kStringsOfOneLength, make_printable_set(bytes, seed)});
  }
  return sets;
}

// How many strings of `bytes` bytes exceed the memory of the GPU `id`.
std::uint64_t strings_above(const GpuStatus& gpus, int id, unsigned bytes) {
  const auto found = std::find_if(gpus.gpus.begin(), gpus.gpus.end(), [&](const GpuInfo& gpu) { return gpu.id == id; });
  if (found == gpus.gpus.end()) throw std::logic_error("no GPU has the number " + std::to_string(id));
  return static_cast<std::uint64_t>(kAboveGpuMemory * static_cast<double>(found->memory_bytes) / bytes) + 1;
}

}  // namespace

PaperRunner::PaperRunner(Session& session, const BenchOptions& options, PaperExtent extent, std::string scratch,
                         std::string text)
    : session_(session),
      options_(options),
      extent_(extent),
      scratch_(std::move(scratch)),
      text_(std::move(text)),
      budget_(static_cast<std::size_t>(options.memory_bytes)) {}

ordered_json paper_item_json(const Paper& paper, const PaperItem& item) {
  return {{"paper", paper.name},
          {"id", item.id},
          {"title", item.title},
          {"paper_machine", item.machine},
          {"stand_in", item.stand_in},
          {"left_out", item.left_out},
          {"place", paper_item_place(item)},
          {"status", item.runs.empty() && !item.stand_in.empty() ? "elsewhere" : "not run"},
          {"paper_figures", figures_json(item.figures)},
          {"runs", ordered_json::array()}};
}

ordered_json PaperRunner::run(const Paper& paper, const PaperItem& item) {
  ordered_json json = paper_item_json(paper, item);
  bool ran = false, needs_gpu = false;
  for (const PaperRun& one : item.runs) {
    throw_if_interrupted(session_.signal_number);
    Result result = std::visit([this](const auto& kind) { return run(kind); }, one);
    ran |= result.ran;
    needs_gpu |= result.needs_gpu;
    if (result.ran) json["runs"].push_back(std::move(result.json));
  }
  if (ran || needs_gpu) json["status"] = !needs_gpu ? "measured" : ran ? "CPU part" : "needs a GPU";
  return json;
}

template <typename Sorter>
std::vector<const Sorter*> PaperRunner::usable(const std::vector<std::string>& names, Result& result) const {
  std::vector<const Sorter*> chosen;
  for (const std::string& name : names) {
    const auto all = all_sorters(static_cast<const Sorter*>(nullptr));
    const auto found = std::find_if(all.begin(), all.end(), [&](const Sorter* one) { return one->name() == name; });
    if (found == all.end()) throw std::logic_error("no sorter is named " + name);
    if ((*found)->needs_gpu() && !options_.gpu) {
      result.needs_gpu = true;
    } else {
      chosen.push_back(*found);
    }
  }
  result.ran = !chosen.empty();
  return chosen;
}

SortPlace PaperRunner::place(unsigned threads) const {
  SortPlace place;
  place.threads = threads;
  place.gpu = options_.gpu;
  place.transfers = Transfers::kLeftOut;  // as in the papers
  return place;
}

std::vector<SorterStats> PaperRunner::measure(const std::vector<std::unique_ptr<TimedSort>>& sorts) const {
  return measure_sorts(sorts, options_.rounds, [this] { throw_if_interrupted(session_.signal_number); });
}

// One array is sorted in several rounds, of several arrays each is sorted once.
std::vector<SorterStats> PaperRunner::measure(const std::vector<const RecordSorter*>& sorters, RecordSet set,
                                              unsigned arrays) {
  std::vector<SorterStats> all;
  for (unsigned array = 0; array < arrays; ++array, ++set.keys.seed) {
    RecordInput input(set, options_.threads, budget_);
    const auto sorts = timed_record_sorts(sorters, input, place(options_.threads), budget_);
    if (arrays == 1) return measure(sorts);
    const auto between = [this] { throw_if_interrupted(session_.signal_number); };
    if (array == 0) all = measure_sorts(sorts, 0, between);
    add_round(sorts, between, all);
  }
  return all;
}

PaperRunner::Result PaperRunner::run(const KeysRun& run) {
  Result result{.json = {{"kind", "keys"}, {"cases", ordered_json::array()}}};
  const auto sorters = usable<RecordSorter>(run.sorters, result);
  if (!result.ran) return result;
  const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, options_.threads);
  const unsigned last = is_quick() ? std::min(run.last_power, run.quick_last_power) : run.last_power;
  const unsigned arrays = is_quick() ? std::min(run.arrays, kQuickArrays) : run.arrays;
  for (const std::string& name : run.distributions) {
    for (const unsigned bits : run.bits) {
      for (unsigned power = std::min(run.first_power, last); power <= last; power += 2) {
        const RecordSet set{{distribution_of(name), std::uint64_t{1} << power, bits, options_.seed}, run.form};
        const auto stats = measure(sorters, set, arrays);
        ordered_json value = record_set_json(set);
        value["arrays"] = arrays;
        value["sorters"] = sorters_json(stats, set.keys.count);
        result.json["cases"].push_back(std::move(value));
      }
    }
  }
  return result;
}

// The variants of the run, where there is a GPU.
std::vector<std::unique_ptr<TimedSort>> PaperRunner::variant_sorts(const StringsRun& run, StringInput& input) {
  if (run.variants.empty() || !options_.gpu) return {};
  SortPlace where = place(options_.threads);
  where.steps = run.steps;
  return gpu_string_sorts({run.variants.begin(), run.variants.end()}, input, where, budget_);
}

ordered_json PaperRunner::strings_case(const StringsRun& run, StringInput& input,
                                       const std::vector<const StringSorter*>& sorters) {
  const auto threads = run.by_threads ? thread_counts(options_.threads) : std::vector<unsigned>{options_.threads};
  const tbb::global_control parallelism(tbb::global_control::max_allowed_parallelism, options_.threads);
  std::vector<std::unique_ptr<TimedSort>> sorts;  // all take turns, whatever their threads
  std::vector<unsigned> threads_of;
  for (const unsigned number : threads) {
    SortPlace where = place(number);
    where.transfers = run.transfers;
    where.steps = run.steps;
    for (auto& sort : timed_string_sorts(sorters, input, where, budget_)) {
      sorts.push_back(std::move(sort));
      threads_of.push_back(number);
    }
  }
  for (auto& sort : variant_sorts(run, input)) {
    sorts.push_back(std::move(sort));
    threads_of.push_back(options_.threads);
  }
  auto stats = measure(sorts);
  for (std::size_t i = 0; run.by_threads && i < stats.size(); ++i) {
    stats[i].name += ", " + std::to_string(threads_of[i]) + (threads_of[i] == 1 ? " thread" : " threads");
  }
  return sorters_json(stats, input.strings().size());
}

PaperRunner::Result PaperRunner::run(const StringsRun& run) {
  Result result{.json = {{"kind", "strings"}, {"cases", ordered_json::array()}}};
  const auto sorters = usable<StringSorter>(run.sorters, result);
  if (!result.ran) return result;
  std::vector<NamedSet> sets = sets_of(run, options_.seed);
  if (run.above_gpu_memory != 0 && options_.gpu && !is_quick()) {
    const unsigned bytes = run.above_gpu_memory;
    const std::uint64_t count = strings_above(options_.gpus, *options_.gpu, bytes);
    if (count * (bytes + kBesideString) <= budget_.total_bytes()) {
      sets.push_back({std::to_string(bytes) + " bytes", count, make_printable_set(bytes, options_.seed)});
    }
  }
  for (const NamedSet& set : sets) {
    std::uint64_t before = 0;
    for (const std::uint64_t wanted : run.counts.empty() ? std::vector<std::uint64_t>{set.count} : run.counts) {
      const std::uint64_t count = std::min({wanted, set.count, is_quick() ? run.quick_most : set.count});
      if (count == before) continue;  // the sizes above the limit are one
      before = count;
      StringInput input(*set.set, count, options_.threads, budget_);
      ordered_json value{{"set", set.name}, {"sorters", strings_case(run, input, sorters)}};
      value.update(string_set_json(input.stats()));
      result.json["cases"].push_back(std::move(value));
    }
  }
  result.ran = !result.json["cases"].empty();
  return result;
}

PaperRunner::Result PaperRunner::run(const SetsRun& run) {
  Result result{.json = {{"kind", "sets"}, {"cases", ordered_json::array()}}, .ran = true};
  for (const std::string& set : run.sets) {
    throw_if_interrupted(session_.signal_number);
    const StringSetText& text = find_string_set(set);
    const std::uint64_t count = is_quick() ? std::min(text.count, run.quick_most) : text.count;
    const StringInput input(*text.make(options_.seed), count, options_.threads, budget_);
    ordered_json value{{"set", set}};
    value.update(string_set_json(input.stats()));
    if (run.has_histograms) {
      const StringHistograms all = string_histograms(input.strings(), input.sorted_order());
      value["histograms"] = {{"lengths", all.lengths}, {"ties", all.ties}, {"equal_starts", all.equal_starts}};
    }
    result.json["cases"].push_back(std::move(value));
  }
  return result;
}

// Returns the size of the file.
std::uint64_t PaperRunner::write_text(const std::string& path, std::uint64_t bytes, double mean_words) {
  if (!text_.empty()) return write_first_lines(session_, text_, bytes, path);
  write_text_file(session_, path, {bytes, mean_words, options_.threads});
  return bytes;
}

PaperRunner::Result PaperRunner::run(const ModesRun& run) {
  Result result{.json = {{"kind", "modes"}, {"cases", ordered_json::array()}}};
  std::vector<ModeJob> jobs;
  const std::string path = text_path_in(scratch_);
  for (const std::string& mode : run.modes) {
    const ModeVariant variant = parse_mode_variant(mode);
    const bool on_gpu = variant.mode.starts_with("gpu");
    if (on_gpu && !options_.gpu) {
      result.needs_gpu = true;
      continue;
    }
    ModeJob job{variant.text, {}};
    const auto& names = index_mode_names();
    job.options.mode = static_cast<IndexMode>(std::find(names.begin(), names.end(), variant.mode) - names.begin());
    if (!variant.record_sorter.empty()) job.options.record_sorter = variant.record_sorter;
    job.options.threads =
        variant.threads.empty() ? options_.threads : static_cast<unsigned>(std::stoul(variant.threads));
    job.options.memory_bytes = options_.memory_bytes;
    job.options.gpu.required = on_gpu;
    if (run.gpu_memory_bytes != 0) job.options.gpu.memory_bytes = run.gpu_memory_bytes;
    job.options.inputs = {path};
    job.options.corpus.format = CorpusFormat::kJsonl;
    jobs.push_back(std::move(job));
  }
  result.ran = !jobs.empty();
  if (!result.ran) return result;
  IndexProgress progress;
  const IndexContext context{session_.files, session_.signal_number, progress,
                             [](const std::string& words) { print_message("bench paper: " + words); },
                             [](const std::string&) {}};
  std::uint64_t bytes = is_quick() ? run.quick_first_bytes : run.first_bytes, before = 0;
  for (unsigned i = 0; i < run.sizes; ++i, bytes *= 2) {
    const std::uint64_t written = write_text(path, bytes, run.mean_words);
    if (std::exchange(before, written) == written) {  // the file has no more, or its next line is long
      session_.files.remove(path);
      continue;
    }
    const ModesStats stats =
        measure_modes(jobs, is_quick() ? 3 : options_.rounds, ParsingAlone::kLeftOut, scratch_, context);
    ordered_json modes = ordered_json::array();
    for (const ModeStats& mode : stats.modes) modes.push_back(mode_json(stats, mode));
    result.json["cases"].push_back({{"input_bytes", stats.input_bytes},
                                    {"documents", stats.modes.front().report.documents},
                                    {"modes", std::move(modes)}});
    session_.files.remove(path);
  }
  return result;
}

namespace {

// Some names of the column are longer than it is.
std::string column(const std::string& text, std::size_t width) { return left_aligned(text, width) + "  "; }

std::string input_column(const std::string& text) { return "    " + column(text, 38); }

std::string sorters_text(const ordered_json& one, const std::string& input) {
  std::string text;
  for (const ordered_json& sorter : one.at("sorters")) {
    text += input_column(input) + column(sorter.at("sorter").get<std::string>(), 24) +
            right_aligned(decimal_text(sorter.at("per_second").get<double>() / 1e6, 2), 12) + " M/s\n";
  }
  return text;
}

std::string case_text(const std::string& kind, const ordered_json& one) {
  if (kind == "keys") {
    return sorters_text(one, one.at("distribution").get<std::string>() + ", " +
                                 count_text(one.at("count").get<std::uint64_t>()) +
                                 (one.value("pairs", false) ? " pairs, " : " keys, ") +
                                 std::to_string(one.at("bits").get<unsigned>()) + " bits");
  }
  if (kind == "modes") {
    std::string text;
    for (const ordered_json& mode : one.at("modes")) {
      text += input_column(bytes_text(one.at("input_bytes").get<std::uint64_t>())) +
              column(mode.at("mode").get<std::string>(), 24) +
              right_aligned(decimal_text(mode.at("wall_seconds").at("median").get<double>(), 3), 12) + " s\n";
    }
    return text;
  }
  const std::string set =
      one.at("set").get<std::string>() + ", " + count_text(one.at("strings").get<std::uint64_t>()) + " strings";
  if (kind == "strings") return sorters_text(one, set);
  return input_column(set) + bytes_text(one.at("bytes").get<std::uint64_t>()) + ", mean tie " +
         decimal_text(one.at("mean_tie_bytes").get<double>(), 1) + " bytes\n";
}

}  // namespace

std::string paper_item_row(const ordered_json& item) {
  std::string text = "  " + item.at("id").get<std::string>() + ": " + item.at("title").get<std::string>() + ": " +
                     item.at("place").get<std::string>() + "\n";
  for (const auto& [name, words] : {std::pair{"stand_in", "    here: "}, std::pair{"left_out", "    left out: "}}) {
    if (const auto said = item.at(name).get<std::string>(); !said.empty()) text += words + said + "\n";
  }
  return text;
}

std::string paper_item_text(const ordered_json& item) {
  const std::string left_out = item.at("left_out").get<std::string>(), status = item.at("status").get<std::string>();
  std::string text =
      "  " + item.at("id").get<std::string>() + ": " + item.at("title").get<std::string>() + ": " + status + "\n";
  // An item that runs elsewhere says where.
  if (status == "elsewhere") text += "    here: " + item.at("stand_in").get<std::string>() + "\n";
  if (!left_out.empty()) text += "    left out: " + left_out + "\n";
  for (const ordered_json& run : item.at("runs")) {
    for (const ordered_json& one : run.at("cases")) text += case_text(run.at("kind").get<std::string>(), one);
  }
  return text;
}

std::string paper_summary_text(const ordered_json& items) {
  std::vector<std::pair<std::string, std::size_t>> counts{
      {"measured", 0}, {"CPU part", 0}, {"needs a GPU", 0}, {"elsewhere", 0}, {"not run", 0}};
  for (const ordered_json& item : items) {
    for (auto& [status, count] : counts) count += item.at("status") == status ? 1 : 0;
  }
  std::string text;
  for (const auto& [status, count] : counts) {
    if (count != 0) text += (text.empty() ? "" : ", ") + status + ": " + std::to_string(count);
  }
  return "\nTables and figures: " + text + "\n";
}

}  // namespace spillway
