#include "tools/bench/modes/sweep_command.hpp"

#include <algorithm>

#include "corpora/synthetic/generate_text.hpp"
#include "io/base/stopwatch.hpp"
#include "io/memory/limits.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "tools/bench/modes/measure.hpp"
#include "tools/bench/modes/sweep.hpp"
#include "tools/bench/options.hpp"
#include "tools/bench/output.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/scratch.hpp"
#include "tools/bench/text_file.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/cli/signals.hpp"
#include "tools/options/index.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

namespace {

constexpr double kLeastCost = 1e-6, kMostCost = 1e9;  // of an hour

struct SweepOptions {
  std::vector<SweepText> texts;
  std::vector<unsigned> threads;
  std::vector<std::uint64_t> sizes;
  unsigned rounds = 3;
  SweepTerms terms;
};

std::vector<std::string> text_names() {
  std::vector<std::string> names;
  for (const SweepText& text : sweep_texts()) names.push_back(text.name);
  return names;
}

std::optional<double> cost_of(const Arguments& arguments, const char* option) {
  if (!arguments.has(option)) return std::nullopt;
  double cost = 0;
  take_real(arguments, option, kLeastCost, kMostCost, cost);
  return cost;
}

// 1, 4, 16, ... and `most`.
std::vector<std::uint64_t> thread_counts(unsigned most) {
  std::vector<std::uint64_t> counts;
  for (unsigned threads = 1; threads < most; threads *= 4) counts.push_back(threads);
  counts.push_back(most);
  return counts;
}

template <typename Number>
void sort_and_unique(std::vector<Number>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// Refuses a size that is below that of a text's first document. Requires: sizes ascend.
void refuse_empty_texts(const SweepOptions& options) {
  for (const SweepText& text : options.texts) {
    GenerateTextOptions one;
    one.documents = 1;
    one.mean_words = text.mean_words;
    const std::uint64_t bytes = generate_text(one, [](std::string_view) {}).bytes;
    if (options.sizes.front() >= bytes) continue;
    throw UsageError("--sizes: " + std::to_string(options.sizes.front()) + " bytes hold no document of " + text.name +
                     "; the first one has " + std::to_string(bytes));
  }
}

SweepOptions sweep_options(const Arguments& arguments, unsigned all_threads) {
  SweepOptions options;
  const auto names = chosen_names(arguments, "texts", text_names(), text_names());
  for (const SweepText& text : sweep_texts()) {
    if (std::find(names.begin(), names.end(), text.name) != names.end()) options.texts.push_back(text);
  }
  for (const std::uint64_t threads : chosen_numbers(arguments, "sweep-threads", 1, 1024, thread_counts(all_threads))) {
    options.threads.push_back(static_cast<unsigned>(threads));
  }
  for (const std::string& size : parse_list("--sizes", arguments.text("sizes").value_or("16MB,64MB,256MB,1GB"))) {
    options.sizes.push_back(parse_size("--sizes", size));
  }
  sort_and_unique(options.threads);
  sort_and_unique(options.sizes);
  refuse_empty_texts(options);
  take_count(arguments, "rounds", 1, 1000, options.rounds);
  options.terms.cpu_cost = cost_of(arguments, "cost-cpu");
  options.terms.gpu_cost = cost_of(arguments, "cost-gpu");
  return options;
}

void refuse_what_the_sweep_sets(const Arguments& arguments) {
  if (!arguments.operands().empty()) throw UsageError("--sweep makes its own texts: give no INPUT");
  for (const char* option : {"modes", "threads", "mode", "format", "skip-parsing"}) {
    if (!arguments.has(option)) continue;
    throw UsageError("--sweep chooses modes, threads and texts, and measures no parsing alone: --" +
                     std::string(option) + " is in vain");
  }
}

nlohmann::ordered_json options_json(const SweepOptions& options, std::uint64_t memory_bytes, std::optional<int> gpu) {
  const auto cost = [](const std::optional<double>& of) { return of ? nlohmann::ordered_json(*of) : nullptr; };
  return {{"rounds", options.rounds},
          {"memory_bytes", memory_bytes},
          {"gpu", gpu ? nlohmann::ordered_json(*gpu) : nlohmann::ordered_json()},
          {"gpu_start_seconds", options.terms.gpu_start_seconds},
          {"cost_cpu_per_hour", cost(options.terms.cpu_cost)},
          {"cost_gpu_per_hour", cost(options.terms.gpu_cost)}};
}

// Measures all cells of a sweep.
class Sweep {
 public:
  Sweep(const Arguments& arguments, Session& session, const SweepOptions& options, bool has_gpu)
      : session_(session),
        options_(options),
        has_gpu_(has_gpu),
        scratch_(session.files, arguments.text("scratch").value_or(".")),
        path_(text_path_in(scratch_.path())),
        planned_(plan_options(arguments, session.files, interruption_check(session.signal_number))) {
    planned_.inputs = {path_};
    planned_.threads = usable_threads();  // of writing texts
  }

  const IndexOptions& planned() const { return planned_; }

  template <typename Done>
  void run(Done done) {
    for (const SweepText& text : options_.texts) {
      for (const std::uint64_t bytes : options_.sizes) {
        write_text_file(session_, path_, {bytes, text.mean_words, planned_.threads});
        for (const unsigned threads : options_.threads) done(measure(text, threads));
        session_.files.remove(path_);
      }
    }
  }

 private:
  ModeJob job(IndexMode mode, unsigned threads) const {
    ModeJob job{std::string(index_mode_name(mode)), planned_};
    job.options.mode = mode;
    job.options.threads = threads;
    if (mode == IndexMode::kCpuPlus) job.options.gpu = {};
    job.options.gpu.required = mode == IndexMode::kGpuPlus;
    return job;
  }

  SweepCell measure(const SweepText& text, unsigned threads) {
    std::vector<ModeJob> jobs{job(IndexMode::kCpuPlus, threads)};
    if (has_gpu_) jobs.push_back(job(IndexMode::kGpuPlus, threads));
    IndexProgress progress;
    const IndexContext context{session_.files, session_.signal_number, progress,
                               [](const std::string& words) { print_message("bench modes: " + words); },
                               [](const std::string&) {}};
    const ModesStats stats = measure_modes(jobs, options_.rounds, ParsingAlone::kLeftOut, scratch_.path(), context);
    return {text.name,
            threads,
            stats.input_bytes,
            stats.modes.front().report.documents,
            stats.modes.front().wall,
            has_gpu_ ? stats.modes.back().wall : Series{}};
  }

  Session& session_;
  const SweepOptions& options_;
  bool has_gpu_;
  BenchScratch scratch_;
  std::string path_;
  IndexOptions planned_;
};

std::string table_head(const SweepTerms& terms) {
  std::string head = "  text     threads       input   cpu+ MB/s   gpu+ MB/s  times gpu+";
  if (terms.cpu_cost || terms.gpu_cost) head += "  cpu+ GB/cost  gpu+ GB/cost";
  return head + "\n";
}

std::string start_text(const SweepTerms& terms) {
  return "  start of the GPU, once a process: " + decimal_text(terms.gpu_start_seconds, 2) +
         " s; it counts for the borders, not in the table\n";
}

// Writes the borders of the cells, and the report.
void finish_sweep(const std::vector<SweepCell>& cells, const SweepTerms& terms, BenchOutput& output) {
  nlohmann::ordered_json borders = nlohmann::ordered_json::array();
  for (const SweepBorder& border : find_borders(cells, terms)) {
    borders.push_back(sweep_border_json(border));
    output.say("  " + sweep_border_text(border) + "\n");
  }
  output.set("borders", std::move(borders));
  output.finish();
}

// After a failure of the sweep: whatever happens here, that failure is the one to report.
void keep_measured(const std::vector<SweepCell>& cells, const SweepTerms& terms, BenchOutput& output) {
  if (cells.empty()) return;
  try {
    finish_sweep(cells, terms, output);
  } catch (const std::exception& error) {
    print_message(std::string("bench modes: what was measured cannot be kept: ") + error.what());
  }
}

// Starts the GPUs of --gpu, or the first usable one. Returns the first.
int start_gpus(const std::vector<int>& wanted, const GpuStatus& gpus) {
  for (const int id : wanted) {
    const auto found = std::find_if(gpus.gpus.begin(), gpus.gpus.end(), [&](const auto& gpu) { return gpu.id == id; });
    if (found == gpus.gpus.end() || !found->is_usable()) {
      throw UsageError("--gpu " + std::to_string(id) + ": there is no such usable GPU (spillway doctor lists them)");
    }
  }
  for (const int id : wanted) free_device_bytes(id);
  if (!wanted.empty()) return wanted.front();
  const int first = first_usable_gpu();
  free_device_bytes(first);
  return first;
}

}  // namespace

void add_sweep_options(boost::program_options::options_description& group) {
  add_flag(group, "sweep", "without INPUT: cpu+ and gpu+ over texts, sizes and threads, and the border between them");
  add_choice(group, "texts", "NAMES", text_names(), "pages (300 words a document), books (33,000 words), or both");
  add_value(group, "sizes", "SIZES", "sizes of the texts (default 16MB,64MB,256MB,1GB)");
  add_value(group, "sweep-threads", "NUMBERS", "numbers of threads (default 1, 4, 16, ... up to all)");
  add_value(group, "cost-cpu", "PRICE", "an hour of this machine without its GPU, in any unit of money");
  add_value(group, "cost-gpu", "PRICE", "an hour of this machine with its GPU");
}

ExitCode run_sweep(const Arguments& arguments, Session& session) {
  refuse_what_the_sweep_sets(arguments);
  SweepOptions options = sweep_options(arguments, usable_threads());
  const std::vector<int> wanted =
      plan_options(arguments, session.files, interruption_check(session.signal_number)).gpu.ids;
  const Stopwatch start;
  const GpuStatus gpus = find_gpus();
  const bool has_gpu = gpus.state == GpuState::kUsable;
  if (!has_gpu && (arguments.has("require-gpu") || arguments.has("gpu"))) {
    throw GpuError("no GPU can be used: " + gpus.detail);
  }
  std::optional<int> gpu;
  if (has_gpu) {
    gpu = start_gpus(wanted, gpus);
    options.terms.gpu_start_seconds = start.seconds();
  }
  BenchOutput output(arguments, session, bench_head("bench modes --sweep", gpus));
  if (!has_gpu) print_message("bench modes: only cpu+, so there is no border; no GPU can be used: " + gpus.detail);
  Sweep sweep(arguments, session, options, has_gpu);
  output.set("options", options_json(options, sweep.planned().memory_bytes, gpu));
  if (has_gpu) output.say(start_text(options.terms));
  output.say(table_head(options.terms));
  std::vector<SweepCell> cells;
  try {
    sweep.run([&](SweepCell cell) {
      output.add_case(sweep_cell_json(cell, options.terms), sweep_cell_text(cell, options.terms));
      cells.push_back(std::move(cell));
    });
  } catch (...) {  // long sweeps are ended early, and fail late
    keep_measured(cells, options.terms, output);
    throw;
  }
  finish_sweep(cells, options.terms, output);
  return ExitCode::kDone;
}

}  // namespace spillway
