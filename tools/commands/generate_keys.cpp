// `spillway corpus generate keys`: the integer sets of the sorting papers.
#include "corpora/synthetic/generate_keys.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/generate.hpp"

namespace spillway {

namespace {

// Satish, Harris, Garland 2009 sort 1 Mi to 16 Mi keys; Capannini, Silvestri, Baraglia 2012 up to 2^26.
constexpr std::uint64_t kDefaultKeys = std::uint64_t{1} << 24;

std::vector<std::string> distribution_names() {
  std::vector<std::string> names;
  for (const KeyDistributionText& text : key_distributions()) names.emplace_back(text.name);
  return names;
}

std::string distribution_list() {
  std::string list = "\nSETS\n";
  for (const KeyDistributionText& text : key_distributions()) {
    list += "  " + std::string(text.name) + ": " + std::string(text.meaning) + "\n";
  }
  return list + "The same set, bits, count and seed give the same bytes on every machine, as little-endian uint64.";
}

ExitCode run_generate_keys_command(const Arguments& arguments, Session& session) {
  KeySetOptions options;
  const std::size_t set_number = parse_choice("SET", arguments.operands().front(), distribution_names());
  options.distribution = key_distributions()[set_number].distribution;
  options.count = kDefaultKeys;
  take_count(arguments, "count", 0, std::uint64_t{1} << 60, options.count);
  take_count(arguments, "seed", 0, UINT64_MAX, options.seed);
  take_count(arguments, "bits", 1, 64, options.bits);
  const unsigned threads = generating_threads(arguments);
  const KeySet set(options);
  write_generated(arguments, session, [&](const auto& write) { generate_keys(set, threads, write); });
  return ExitCode::kDone;
}

}  // namespace

Command generate_keys_command() {
  Command command;
  command.name = "corpus generate keys";
  command.summary = "generate the integer sets of the sorting papers, for tests and benchmarks";
  command.examples = {{"spillway corpus generate keys uniform -o keys.u64", "16 Mi keys of 64 bits"},
                      {"spillway corpus generate keys entropy-3 --bits 32 --count 1000000 --seed 7 > keys.u64",
                       "the AND of three uniform keys below 2^32"}};
  command.operands = "SET [OPTIONS]";
  command.operand_choices = distribution_names();
  command.notes = distribution_list();
  auto output = option_group("Output"), resources = option_group("Resources");
  add_generated_output_options(output);
  add_value(output, "count", "N", "keys (default 16777216)");
  add_value(output, "bits", "N", "keys are below 2^N: 1 to 64 (default 64)");
  add_generating_threads_option(resources);
  for (const auto& group : {output, resources}) command.groups.push_back(group);
  command.min_operands = command.max_operands = 1;
  command.run = run_generate_keys_command;
  return command;
}

}  // namespace spillway
