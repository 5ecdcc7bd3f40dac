// `spillway bench paper`: the tables and figures of the five papers, again.
#include <algorithm>
#include <optional>
#include <variant>

#include "tools/bench/output.hpp"
#include "tools/bench/paper/progress_file.hpp"
#include "tools/bench/paper/runner.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/scratch.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/job.hpp"

namespace spillway {

namespace {

std::vector<std::string> paper_names() {
  std::vector<std::string> names;
  for (const Paper& paper : papers()) names.push_back(paper.name);
  return names;
}

std::vector<const Paper*> chosen_papers(const std::string& name) {
  std::vector<std::string> names = paper_names();
  names.emplace_back("all");
  parse_choice("NAME", name, names);
  std::vector<const Paper*> chosen;
  for (const Paper& paper : papers()) {
    if (name == "all" || name == paper.name) chosen.push_back(&paper);
  }
  return chosen;
}

// Refuses an id that none of the papers has.
void check_item(const std::vector<const Paper*>& chosen, const std::string& id) {
  std::string known;
  for (const Paper* paper : chosen) {
    for (const PaperItem& item : paper->items) {
      if (item.id == id) return;
      known += (known.empty() ? "" : ", ") + item.id;
    }
  }
  throw UsageError("--item '" + printable(id) + "': there is none; there are " + known);
}

// Refuses a text that no row would index, and one without a line.
void check_text(const std::vector<const Paper*>& chosen, const Arguments& arguments, FileSystem& files) {
  const auto text = arguments.text("text");
  if (!text) return;
  const auto has_jobs = [&](const PaperItem& item) {
    return arguments.text("item").value_or(item.id) == item.id &&
           std::ranges::any_of(item.runs, [](const PaperRun& run) { return std::holds_alternative<ModesRun>(run); });
  };
  if (std::ranges::none_of(chosen, [&](const Paper* paper) { return std::ranges::any_of(paper->items, has_jobs); })) {
    throw UsageError("--text names what jobs index, and no row that was chosen has jobs: see table 2 of capannini2012");
  }
  if (files.open(*text)->size() == 0) throw UsageError("--text " + printable(*text) + ": it is empty");
}

nlohmann::ordered_json options_json(const BenchOptions& options, const Arguments& arguments) {
  return {{"paper", arguments.operands().front()},
          {"item", arguments.text("item").value_or("all")},
          {"quick", arguments.has("quick")},
          {"text", arguments.text("text").value_or("generated")},
          {"rounds", options.rounds},
          {"seed", options.seed},
          {"threads", options.threads},
          {"memory_bytes", options.memory_bytes},
          {"gpu", options.gpu ? nlohmann::ordered_json(*options.gpu) : nlohmann::ordered_json()}};
}

// All items of the papers, one after the other; those that an interrupted benchmark has done are taken from it.
nlohmann::ordered_json run_items(const std::vector<const Paper*>& chosen, const Arguments& arguments,
                                 PaperRunner& runner, std::optional<PaperProgressFile>& done, BenchOutput& output) {
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const Paper* paper : chosen) {
    output.say("\n" + paper->title + "\n");
    for (const PaperItem& item : paper->items) {
      if (arguments.text("item").value_or(item.id) != item.id) continue;
      const nlohmann::ordered_json* const before = done ? done->find(paper->name, item.id) : nullptr;
      items.push_back(before != nullptr ? *before : runner.run(*paper, item));
      output.say(paper_item_text(items.back()));
      if (done && before == nullptr && !item.runs.empty()) done->add(items.back());
    }
  }
  output.say(paper_summary_text(items));
  return items;
}

// All rows of the papers, without a measurement.
nlohmann::ordered_json list_items(const std::vector<const Paper*>& chosen, const Arguments& arguments,
                                  BenchOutput& output) {
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const Paper* paper : chosen) {
    output.say("\n" + paper->title + "\n");
    for (const PaperItem& item : paper->items) {
      if (arguments.text("item").value_or(item.id) != item.id) continue;
      items.push_back(paper_item_json(*paper, item));
      output.say(paper_item_row(items.back()));
    }
  }
  return items;
}

nlohmann::ordered_json titles_json(const std::vector<const Paper*>& chosen) {
  nlohmann::ordered_json titles = nlohmann::ordered_json::array();
  for (const Paper* paper : chosen) titles.push_back({{"name", paper->name}, {"title", paper->title}});
  return titles;
}

ExitCode run_bench_paper_command(const Arguments& arguments, Session& session) {
  const auto chosen = chosen_papers(arguments.operands().front());
  if (const auto id = arguments.text("item")) check_item(chosen, *id);
  check_text(chosen, arguments, session.files);
  const BenchOptions options = bench_options(arguments, session.files, false);
  nlohmann::ordered_json head = bench_head("bench paper", options.gpus);
  nlohmann::ordered_json of_progress = options_json(options, arguments);
  of_progress["commit"] = head.at("commit");
  BenchOutput output(arguments, session, std::move(head));
  output.set("options", options_json(options, arguments));
  output.set("papers", titles_json(chosen));
  if (arguments.has("list")) {
    output.set("items", list_items(chosen, arguments, output));
    output.finish();
    return ExitCode::kDone;
  }
  if (!options.gpu)
    print_message("bench paper: only the parts for the CPU; no GPU can be used: " + options.gpus.detail);
  std::optional<PaperProgressFile> done;
  if (const auto path = arguments.text("json"); path && *path != "-") {
    done.emplace(session, *path, of_progress, arguments.has("restart"));
    if (done->count() != 0) {
      print_message("bench paper: goes on with an interrupted benchmark: " + std::to_string(done->count()) +
                    " tables and figures are done");
    }
  }
  const BenchScratch scratch(session.files, arguments.text("scratch").value_or("."));
  PaperRunner runner(session, options, arguments.has("quick") ? PaperExtent::kQuick : PaperExtent::kFull,
                     scratch.path(), arguments.text("text").value_or(""));
  output.set("items", run_items(chosen, arguments, runner, done, output));
  output.finish();
  if (done) done->remove();
  return ExitCode::kDone;
}

}  // namespace

Command bench_paper_command() {
  Command command;
  command.name = "bench paper";
  command.summary = "measure the tables and figures of the sorting papers again";
  command.examples = {{"spillway bench paper deshpande2013 --quick --json d.json",
                       "one paper with small sets; see also `bench report`"},
                      {"spillway bench paper all --json papers.json", "all five, with sets of the papers' sizes"},
                      {"spillway bench paper satish2009 --item 'figure 8a'", "one figure"}};
  command.operands = "NAME [OPTIONS]";
  command.operand_choices = paper_names();
  command.operand_choices.emplace_back("all");
  command.notes =
      "\nNAME is satish2009, davidson2012, capannini2012, deshpande2013, drozd2014 or all. Every table and figure of\n"
      "the paper has a row: what runs for it here, how the data differ from the paper's, what does not run, and why.\n"
      "Every result is checked before its time counts; sorters take turns. Without a GPU, sorters and modes that need\n"
      "one are left out, and the row says so. With --json, what is done is kept in FILE.partial: after an "
      "interruption\n"
      "the same command goes on from there.";
  auto what = option_group("What"), measuring = option_group("Measuring"), resources = option_group("Resources");
  add_flag(what, "quick", "small sets: about a minute for all five papers");
  add_flag(what, "list", "only say what each row is, what runs for it and what is left out");
  add_value(what, "item", "ID", "only this table or figure, such as 'figure 8a' or 'table VIII'");
  add_value(what, "text", "FILE",
            "JSON lines for the jobs of capannini2012, whose first lines they index; generated text by default");
  add_bench_options(measuring);
  add_flag(measuring, "restart", "discard what an interrupted benchmark has done, and begin anew");
  add_value(measuring, "scratch", "DIR", "directory for texts and indexes (default: the working directory)");
  add_resource_options(resources);
  add_bench_gpu_options(resources);
  for (const auto& group : {what, measuring, resources}) command.groups.push_back(group);
  command.min_operands = command.max_operands = 1;
  command.exit_codes = {{ExitCode::kOverBudget, "--memory is too small for a set"},
                        {ExitCode::kCorrupt, "FILE.partial is damaged"},
                        {ExitCode::kNoGpu, "a GPU was asked for, and none is usable"}};
  command.run = run_bench_paper_command;
  return command;
}

}  // namespace spillway
