// `spillway corpus generate strings`: the string sets of the sorting papers.
#include "corpora/synthetic/generate_strings.hpp"
#include "corpora/synthetic/string_sets.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/generate.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

namespace {

std::string set_list() {
  std::string list = "\nSETS (strings)\n";
  for (const StringSetText& set : string_sets()) {
    list += "  " + std::string(set.name) + " (" + count_text(set.count) + "): " + std::string(set.meaning) + "\n";
  }
  return list +
         "The same set, count and seed give the same bytes on every machine: one string per line. A smaller set is "
         "the\n"
         "start of a larger one. Sets that the papers took from real data are generated with the same count, size and\n"
         "tie lengths.";
}

ExitCode run_generate_strings_command(const Arguments& arguments, Session& session) {
  const StringSetText& text = find_string_set(arguments.operands().front());
  std::uint64_t count = text.count, seed = 1;
  take_count(arguments, "count", 0, std::uint64_t{1} << 60, count);
  take_count(arguments, "seed", 0, UINT64_MAX, seed);
  const unsigned threads = generating_threads(arguments);
  const auto set = text.make(seed);
  write_generated(arguments, session, [&](const auto& write) { generate_strings(*set, count, threads, write); });
  return ExitCode::kDone;
}

}  // namespace

Command generate_strings_command() {
  Command command;
  command.name = "corpus generate strings";
  command.summary = "generate the string sets of the sorting papers, for tests and benchmarks";
  command.examples = {{"spillway corpus generate strings url -o url.txt", "ten million addresses of pages"},
                      {"spillway corpus generate strings random-ascii --count 1000 --seed 7", "a thousand lines"}};
  command.operands = "SET [OPTIONS]";
  for (const StringSetText& set : string_sets()) command.operand_choices.emplace_back(set.name);
  command.notes = set_list();
  auto output = option_group("Output"), resources = option_group("Resources");
  add_generated_output_options(output);
  add_value(output, "count", "N", "strings (default: the size of the paper's set)");
  add_generating_threads_option(resources);
  for (const auto& group : {output, resources}) command.groups.push_back(group);
  command.min_operands = command.max_operands = 1;
  command.run = run_generate_strings_command;
  return command;
}

}  // namespace spillway
