// `spillway bench sort records` and `spillway bench sort strings`: every sorter by name, on the sets of the papers.
#include <tbb/global_control.h>

#include <algorithm>

#include "corpora/synthetic/string_sets.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/sorters.hpp"
#include "tools/bench/options.hpp"
#include "tools/bench/output.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/sorts/line_set.hpp"
#include "tools/bench/sorts/records.hpp"
#include "tools/bench/sorts/strings.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/generate.hpp"
#include "tools/options/job.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kDefaultKeys = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostItems = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostStrings = 0xFFFFFFFF;

// The sorters of --sorter.
template <typename Sorter>
struct Choice {
  std::vector<const Sorter*> sorters;
  bool is_by_name = false;
  bool needs_gpu = false;  // a sorter that needs a GPU was named
};

template <typename T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

template <typename Named>
std::vector<std::string> names_of(const std::vector<const Named*>& all) {
  std::vector<std::string> names;
  for (const Named* one : all) names.emplace_back(one->name());
  return names;
}

std::vector<std::string> distribution_names() {
  std::vector<std::string> names;
  for (const KeyDistributionText& text : key_distributions()) names.emplace_back(text.name);
  return names;
}

std::vector<std::string> string_set_names() {
  std::vector<std::string> names;
  for (const StringSetText& text : string_sets()) names.emplace_back(text.name);
  return names;
}

template <typename Sorter>
bool needs_gpu(const Sorter* sorter) {
  return sorter->needs_gpu();
}

template <typename Sorter>
Choice<Sorter> chosen_sorters(const Arguments& arguments, const std::vector<const Sorter*>& of_cpu,
                              const std::vector<const Sorter*>& of_gpu) {
  const std::vector<const Sorter*> all = joined(of_cpu, of_gpu);
  const std::vector<std::string> names = names_of(all);
  const std::vector<std::string> chosen = chosen_names(arguments, "sorter", names, names);
  Choice<Sorter> choice;
  choice.is_by_name = arguments.text("sorter").value_or("all") != "all";
  for (const Sorter* sorter : all) {
    if (std::find(chosen.begin(), chosen.end(), sorter->name()) == chosen.end()) continue;
    choice.sorters.push_back(sorter);
    choice.needs_gpu |= choice.is_by_name && sorter->needs_gpu();
  }
  return choice;
}

// The state that all cases of a run share.
class SortBench {
 public:
  SortBench(const Arguments& arguments, Session& session, const std::string& command, BenchOptions options)
      : session_(session),
        options_(std::move(options)),
        parallelism_(tbb::global_control::max_allowed_parallelism, options_.threads),
        budget_(static_cast<std::size_t>(options_.memory_bytes)),
        output_(arguments, session, bench_head(command, options_.gpus)) {
    place_.threads = options_.threads;
    place_.gpu = options_.gpu;
    if (arguments.has("skip-transfers")) place_.transfers = Transfers::kLeftOut;
    place_.is_profiled = arguments.has("profile");
    if (arguments.has("baselines")) place_.baselines = Baselines::kMeasured;
    output_.set("options", {{"rounds", options_.rounds},
                            {"seed", options_.seed},
                            {"threads", options_.threads},
                            {"memory_bytes", options_.memory_bytes},
                            {"gpu", options_.gpu ? nlohmann::ordered_json(*options_.gpu) : nlohmann::ordered_json()}});
  }

  const BenchOptions& options() const { return options_; }
  const SortPlace& place() const { return place_; }
  MemoryBudget& budget() { return budget_; }

  // Without a GPU, leaves out its sorters and says so.
  template <typename Sorter>
  std::vector<const Sorter*> usable(const std::vector<const Sorter*>& sorters) {
    std::vector<const Sorter*> result;
    for (const Sorter* sorter : sorters) {
      if (!sorter->needs_gpu() || options_.gpu) result.push_back(sorter);
    }
    if (result.size() != sorters.size()) {
      print_message("bench sort: only the CPU's sorters; no GPU can be used: " + options_.gpus.detail);
    }
    return result;
  }

  std::vector<SorterStats> measure(const std::vector<std::unique_ptr<TimedSort>>& sorts) {
    return measure_sorts(sorts, options_.rounds, [this] { throw_if_interrupted(session_.signal_number); });
  }
  void check_signal() const { throw_if_interrupted(session_.signal_number); }

  void add_case(nlohmann::ordered_json value, const std::string& title, const std::vector<SorterStats>& all,
                std::uint64_t count, std::string_view unit) {
    value["sorters"] = sorters_json(all, count);
    output_.add_case(std::move(value), "\n" + title + "\n" + sorter_table(all, count, unit));
  }
  void finish() { output_.finish(); }

 private:
  Session& session_;
  BenchOptions options_;
  SortPlace place_;
  tbb::global_control parallelism_;  // oneTBB would start no more threads than processors
  MemoryBudget budget_;
  BenchOutput output_;
};

// "uniform: 16,777,216 pairs of a key of 32 bits and a value of 32 bits, 134 MB".
std::string record_set_title(const RecordSet& set) {
  const std::string bits = std::to_string(set.keys.bits) + " bits";
  return std::string(key_distribution_name(set.keys.distribution)) + ": " + count_text(set.keys.count) +
         (set.form == RecordForm::kPairs ? " pairs of a key of " + bits + " and a value of 32 bits"
                                         : " keys of " + bits) +
         ", " + bytes_text(set.keys.count * sizeof(std::uint64_t));
}

void bench_records(SortBench& bench, const RecordSet& set, const std::vector<const RecordSorter*>& sorters) {
  bench.check_signal();
  // Reserves the whole at once, so that a refusal names a sufficient budget.
  bench.budget().reserve(static_cast<std::size_t>(record_bench_bytes(sorters, set)), "the benchmark of these records");
  RecordInput input(set, bench.place().threads, bench.budget());
  const auto stats = bench.measure(timed_record_sorts(sorters, input, bench.place(), bench.budget()));
  bench.add_case(record_set_json(set), record_set_title(set), stats, set.keys.count,
                 set.form == RecordForm::kPairs ? "M pairs/s" : "M keys/s");
}

ExitCode run_bench_records_command(const Arguments& arguments, Session& session) {
  const auto choice = chosen_sorters(arguments, record_sorters(), gpu_record_sorters());
  const std::vector<std::string> distributions = distribution_names();
  const auto chosen = chosen_names(arguments, "distribution", distributions, {"uniform"});
  const RecordForm form = arguments.has("pairs") ? RecordForm::kPairs : RecordForm::kKeys;
  const bool is_pairs = form == RecordForm::kPairs;
  const auto counts = chosen_numbers(arguments, "count", 0, is_pairs ? kMostPairs : kMostItems, {kDefaultKeys});
  const unsigned most_bits = is_pairs ? kMostPairKeyBits : 64;
  const auto bits = chosen_numbers(arguments, "bits", 1, most_bits, {most_bits});
  const bool is_profiled = arguments.has("profile");
  if (is_profiled && std::none_of(choice.sorters.begin(), choice.sorters.end(), needs_gpu<RecordSorter>)) {
    throw UsageError("--profile marks sorts of a GPU's sorters, and --sorter names none");
  }
  SortBench bench(arguments, session, "bench sort records",
                  bench_options(arguments, session.files, choice.needs_gpu || is_profiled));
  const auto sorters = bench.usable(choice.sorters);
  for (const std::string& name : chosen) {
    const auto found = std::find(distributions.begin(), distributions.end(), name);
    const auto distribution = static_cast<KeyDistribution>(found - distributions.begin());
    for (const std::uint64_t count : counts) {
      for (const std::uint64_t width : bits) {
        bench_records(bench, {{distribution, count, static_cast<unsigned>(width), bench.options().seed}, form},
                      sorters);
      }
    }
  }
  bench.finish();
  return ExitCode::kDone;
}

struct NamedStringSet {
  std::string name;
  const StringSet& set;
  std::uint64_t count;  // where --count does not say it
};

void bench_strings(SortBench& bench, const NamedStringSet& named, std::uint64_t count,
                   const std::vector<const StringSorter*>& sorters) {
  bench.check_signal();
  StringInput input(named.set, count, bench.place().threads, bench.budget());
  const auto stats = bench.measure(timed_string_sorts(sorters, input, bench.place(), bench.budget()));
  nlohmann::ordered_json value{{"set", named.name}};
  value.update(string_set_json(input.stats()));
  bench.add_case(std::move(value), printable(named.name, 4096) + ": " + string_set_text(input.stats()), stats, count,
                 "M strings/s");
}

void bench_set(SortBench& bench, const NamedStringSet& named, const std::vector<std::uint64_t>& counts,
               const std::vector<const StringSorter*>& sorters) {
  for (const std::uint64_t count : counts.empty() ? std::vector<std::uint64_t>{named.count} : counts) {
    bench_strings(bench, named, count, sorters);
  }
}

ExitCode run_bench_strings_command(const Arguments& arguments, Session& session) {
  const auto choice = chosen_sorters(arguments, string_sorters(), gpu_string_sorters());
  const std::vector<std::string> names = string_set_names();
  const auto sets = chosen_names(arguments, "set", names, arguments.has("lines") ? std::vector<std::string>{} : names);
  const auto counts = chosen_numbers(arguments, "count", 0, kMostStrings, {});
  SortBench bench(arguments, session, "bench sort strings", bench_options(arguments, session.files, choice.needs_gpu));
  const auto sorters = bench.usable(choice.sorters);
  if (const auto path = arguments.text("lines")) {
    const LineSet lines(session.files, *path, bench.budget());
    bench_set(bench, {*path, lines, lines.count()}, counts, sorters);
  }
  for (const std::string& name : sets) {
    const StringSetText& text = find_string_set(name);
    bench_set(bench, {name, *text.make(bench.options().seed), text.count}, counts, sorters);
  }
  bench.finish();
  return ExitCode::kDone;
}

// An option whose value is a list of `names`, or all.
void add_names(boost::program_options::options_description& group, const char* option,
               const std::vector<std::string>& names, const char* meaning) {
  add_choice(group, option, "NAMES", joined({"all"}, names), meaning);
}

constexpr const char* kNotes =
    "\nEvery result is checked, order and permutation, before its time counts. A round that warms up is followed by\n"
    "timed ones in which the sorters take turns; figures are medians, the spread is (slowest - fastest) / median. Of "
    "a\n"
    "GPU's sorter the first rate is of the sort alone, on data in GPU memory, by events on its stream; 'from pinned'\n"
    "and 'from pageable' go from such host memory to the GPU and back, by the host's clock. Lists are names or\n"
    "numbers with commas between them, or all; numbers may be written 2^N.";

enum class Profiles : std::uint8_t { kNone, kMarked };  // whether there is --profile

void add_sort_groups(Command& command, boost::program_options::options_description what, Profiles profiles) {
  auto measuring = option_group("Measuring"), resources = option_group("Resources");
  add_bench_options(measuring);
  add_flag(measuring, "skip-transfers", "of a GPU's sorters measure only the time on the GPU");
  if (profiles == Profiles::kMarked) {
    add_flag(measuring, "profile", "mark the first sort of each GPU sorter: ncu --profile-from-start off");
  }
  add_flag(measuring, "baselines",
           "on a GPU measure also, in turns, CUB's radix sort called directly (of strings a merge sort of records with "
           "a prefix)");
  add_resource_options(resources);
  add_bench_gpu_options(resources);
  for (const auto& group : {what, measuring, resources}) command.groups.push_back(group);
  command.exit_codes = {{ExitCode::kOverBudget, "--memory is too small for the set"},
                        {ExitCode::kNoGpu, "a GPU was asked for, and there is none that can be used"}};
  command.notes = kNotes;
}

}  // namespace

Command bench_sort_records_command() {
  Command command;
  command.name = "bench sort records";
  command.summary = "measure the sorters of integer keys, alone or with values";
  command.examples = {
      {"spillway bench sort records", "all sorters on 16 Mi uniform keys"},
      {"spillway bench sort records --sorter cpu-radix,gpu-radix --count 2^20,2^28 --bits 32,64 --json radix.json",
       "two sorters, two sizes, two widths, with all rounds in a file"},
      {"spillway bench sort records --pairs --count 2^20,2^24",
       "pairs of a 32-bit key and a 32-bit value, as in the papers"},
      {"spillway bench sort records --distribution all --count 2^24", "every distribution of the papers"}};
  command.operands = "[OPTIONS]";
  auto what = option_group("What");
  add_names(what, "sorter", names_of(joined(record_sorters(), gpu_record_sorters())),
            "sorters (default: all that can run here)");
  add_names(what, "distribution", distribution_names(), "sets of `corpus generate keys` (default uniform)");
  add_flag(
      what, "pairs",
      "sort pairs of a 32-bit key and a 32-bit value (the key's place in the input), side by side in 8 bytes; check "
      "that each value stays with its key, and that stable sorters keep the order of equal keys");
  add_value(what, "count", "NUMBERS", "keys or pairs (default 2^24)");
  add_value(what, "bits", "NUMBERS", "bits that keys have and that are sorted by (default 64, of pairs 32, the most)");
  add_sort_groups(command, what, Profiles::kMarked);
  command.run = run_bench_records_command;
  return command;
}

Command bench_sort_strings_command() {
  Command command;
  command.name = "bench sort strings";
  command.summary = "measure the sorters of strings";
  command.examples = {
      {"spillway bench sort strings --set words-dup,url", "all sorters on two sets of the papers' size"},
      {"spillway bench sort strings --set all --count 1000000 --sorter cpu-msd,gpu-string-radix",
       "two sorters on the first million of each set"},
      {"spillway bench sort strings --lines words.txt --count 4000000 --baselines",
       "all on strings of your own, and the sort that they are compared with"}};
  command.operands = "[OPTIONS]";
  auto what = option_group("What");
  add_names(what, "sorter", names_of(joined(string_sorters(), gpu_string_sorters())),
            "sorters (default: all that can run here)");
  add_names(what, "set", string_set_names(), "sets of `corpus generate strings` (default all, or none with --lines)");
  add_value(what, "lines", "FILE", "the lines of a file, over and over where --count is more than there are");
  add_value(what, "count", "NUMBERS", "strings (default: as many as the paper's set, or the file, has)");
  add_sort_groups(command, what, Profiles::kNone);
  command.run = run_bench_strings_command;
  return command;
}

}  // namespace spillway
