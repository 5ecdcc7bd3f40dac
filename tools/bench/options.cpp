#include "tools/bench/options.hpp"

#include <algorithm>

#include "io/memory/budget.hpp"
#include "io/memory/limits.hpp"
#include "sort/gpu/device/error.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/options/job.hpp"

namespace spillway {

using boost::program_options::options_description;

namespace {

constexpr std::uint64_t kLeastRounds = 5, kMostRounds = 1000;

int usable_gpu(const GpuStatus& status, std::optional<std::uint64_t> wanted) {
  std::string known;
  for (const GpuInfo& gpu : status.gpus) {
    if (!gpu.is_usable()) continue;
    if (!wanted || static_cast<std::uint64_t>(gpu.id) == *wanted) return gpu.id;
    known += (known.empty() ? "" : ", ") + std::to_string(gpu.id);
  }
  if (known.empty()) throw GpuError("no GPU can be used: " + status.detail);
  throw UsageError("--gpu " + std::to_string(*wanted) + ": there is no such usable GPU; usable: " + known);
}

std::uint64_t parse_number(const std::string& option, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  if (!text.starts_with("2^")) return parse_count(option, text, least, most);
  const std::uint64_t number = std::uint64_t{1} << parse_count(option, text.substr(2), 0, 63);
  if (number < least || number > most) parse_count(option, std::to_string(number), least, most);
  return number;
}

}  // namespace

void add_bench_report_options(options_description& group) {
  add_value(group, "json", "FILE",
            "write all rounds, machine and build as JSON (-: to standard output, without a table)");
  add_flag(group, "force", "replace an existing JSON file");
}

void add_bench_options(options_description& group) {
  add_value(group, "rounds", "N", "timed rounds after the warm-up round, at least 5 (default 5)");
  add_value(group, "seed", "N", "seed of the random numbers (default 1)");
  add_bench_report_options(group);
}

void add_bench_gpu_options(options_description& group) {
  add_value(group, "gpu", "ID", "the GPU to use (default: the first usable one)");
  add_flag(group, "require-gpu",
           "end with exit code 6 if no GPU is usable; implied by naming a sorter or mode that needs one");
}

BenchOptions bench_options(const Arguments& arguments, FileSystem& files, bool needs_gpu) {
  BenchOptions options;
  take_count(arguments, "rounds", kLeastRounds, kMostRounds, options.rounds);
  take_count(arguments, "seed", 0, UINT64_MAX, options.seed);
  const JobResources resources = job_resources(arguments, files);
  options.memory_bytes = resources.memory_bytes != 0 ? resources.memory_bytes : available_memory_bytes() / 2;
  options.threads = resources.threads != 0 ? resources.threads : usable_threads();
  options.gpus = find_gpus();
  std::optional<std::uint64_t> wanted;
  if (const auto text = arguments.text("gpu")) wanted = parse_count("--gpu", *text, 0, 1024);
  const bool is_there = options.gpus.state == GpuState::kUsable;
  if (is_there || needs_gpu || wanted || arguments.has("require-gpu")) options.gpu = usable_gpu(options.gpus, wanted);
  return options;
}

std::vector<std::string> chosen_names(const Arguments& arguments, const char* option,
                                      const std::vector<std::string>& all, const std::vector<std::string>& fallback) {
  const auto text = arguments.text(option);
  if (!text) return fallback;
  if (*text == "all") return all;
  std::vector<std::string> names = parse_list(std::string("--") + option, *text);
  for (const std::string& name : names) parse_choice(std::string("--") + option, name, all);
  return names;
}

std::vector<std::uint64_t> chosen_numbers(const Arguments& arguments, const char* option, std::uint64_t least,
                                          std::uint64_t most, const std::vector<std::uint64_t>& fallback) {
  const auto text = arguments.text(option);
  if (!text) return fallback;
  std::vector<std::uint64_t> numbers;
  for (const std::string& part : parse_list(std::string("--") + option, *text)) {
    numbers.push_back(parse_number(std::string("--") + option, part, least, most));
  }
  return numbers;
}

}  // namespace spillway
