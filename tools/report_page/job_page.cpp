// Pages of jobs: index, append, merge, delete, sort.
#include <algorithm>

#include "tools/report_page/job_lead.hpp"
#include "tools/report_page/pages.hpp"

namespace spillway {

namespace {

// Members of the report that are worth a line, in this order, with their unit.
struct FactOf {
  const char* member;
  const char* name;
  Unit unit;
};

std::vector<FactOf> known_facts() {
  const Unit count = plain_unit(), bytes = bytes_unit(), memory = memory_unit();
  return {{"seconds", "time", seconds_unit()},
          {"bytes_per_second", "rate", byte_rate_unit()},
          {"input_bytes", "input", bytes},
          {"resumed_bytes", "done by an interrupted job", bytes},
          {"records_in", "records", count},
          {"lines", "lines", count},
          {"input_documents", "documents of the inputs", count},
          {"documents", "documents", count},
          {"documents_before", "documents before", count},
          {"replaced_documents", "documents replaced", count},
          {"index_documents", "documents now", count},
          {"dropped_documents", "documents dropped", count},
          {"duplicate_documents", "duplicate ids", count},
          {"skipped_records", "skipped records", count},
          {"repaired", "repaired records", count},
          {"terms", "terms", count},
          {"postings", "postings", count},
          {"occurrences", "tokens", count},
          {"index_bytes", "index", bytes},
          {"output_bytes", "output", bytes},
          {"mode", "mode", {}},
          {"chunk_form", "form of chunks", {}},
          {"sorter", "sorter", {}},
          {"threads", "threads", count},
          {"memory_bytes", "memory budget", memory},
          {"peak_resident_bytes", "peak of the resident memory", memory},
          {"runs", "runs", count},
          {"runs_spilled", "spilled runs", count},
          {"spilled_bytes", "written to scratch files", bytes},
          {"peak_temp_bytes", "peak of the scratch files", bytes},
          {"merge_passes", "merge passes", count},
          {"blocks_on_gpu", "blocks sorted on the GPU", count},
          {"blocks_on_cpu_instead", "blocks sorted on the CPU instead", count},
          {"postings_merged_on_gpu", "postings of the runs merged on the GPU", count},
          {"gpu_failure", "failure of the GPU", {}},
          {"bottleneck", "bottleneck", {}}};
}

Facts facts_of(const JsonView& job) {
  Facts facts;
  for (const char* const list : {"inputs", "output"}) {
    if (const auto value = job.find(list)) facts.rows.emplace_back(list, value->words());
  }
  for (const FactOf& of : known_facts()) {
    const auto value = job.find(of.member);
    if (!value || (value->is_number() && value->number() == 0)) continue;
    facts.rows.emplace_back(of.name, value->is_number() ? quantity_text(value->number(), of.unit) : value->words());
  }
  return facts;
}

// A stage that had nothing to do still takes the time of its clock.
constexpr double kLeastStageSeconds = 1e-6;

std::optional<BarPlot> stages_plot(const JsonView& job) {
  const auto stages = job.find("stages");
  if (!stages) return std::nullopt;
  BarPlot plot{.title = "Time of the stages",
               .note =
                   "Busy time is summed over threads; that of the merge is CPU time, the timeline's is wall time. Wall "
                   "time is from the start of a stage to its end. Stages overlap.",
               .category_name = "stage",
               .value_name = "time",
               .unit = seconds_unit()};
  BarSeries busy{.name = "busy", .values = {}}, wall{.name = "wall", .values = {}};
  for (const JsonView& stage : stages->items()) {
    const auto busy_time = stage.value_at("busy_seconds"), wall_time = stage.value_at("wall_seconds");
    const auto is_none = [](const std::optional<Value>& time) { return !time || time->middle < kLeastStageSeconds; };
    if (is_none(busy_time) && is_none(wall_time)) continue;
    plot.categories.push_back(stage.at("name").text());
    if (plot.categories.back() == "parse") {
      plot.note += " The wall time of parse and encode ends with the last sorted block, and has all waits.";
    }
    busy.values.push_back(busy_time);
    wall.values.push_back(wall_time);
  }
  for (BarSeries* series : {&busy, &wall}) {
    const bool any =
        std::any_of(series->values.begin(), series->values.end(), [](const auto& v) { return v.has_value(); });
    if (any) plot.series.push_back(std::move(*series));
  }
  return plot.series.empty() ? std::nullopt : std::optional(std::move(plot));
}

// Planning precedes the time of a job, and the release of memory follows it.
std::string outside_sentence(double shown, double of_job) {
  constexpr double kLeastShare = 0.02;  // less is not worth a sentence
  if (of_job <= 0 || shown - of_job < kLeastShare * shown) return "";
  return " The picture has " + quantity_text(shown - of_job, seconds_unit()) +
         " that the time of the job leaves out: the plan before it, and the release of memory after it.";
}

std::optional<PageSection> timeline_section(const JsonView& job) {
  const auto timeline = job.find("timeline");
  if (!timeline) return std::nullopt;
  GanttPlot plot{.title = "Stages over time",
                 .note =
                     "A lane is a place where one thing is done at a time. Neighbouring spans that are shorter than "
                     "the picture shows are one; its fill tells how much of it was busy.",
                 .seconds = timeline->at("seconds").number()};
  plot.note += outside_sentence(plot.seconds, job.number_at("seconds"));
  for (const JsonView& stage : timeline->at("stages").items()) plot.stages.push_back(stage.text());
  for (const JsonView& lane : timeline->at("lanes").items()) plot.lanes.push_back(lane.text());
  for (const JsonView& span : timeline->at("spans").items()) {
    const auto numbers = span.items();
    if (numbers.size() != 5) span.fail("an array of lane, stage, begin, end and busy share");
    const auto lane = static_cast<std::size_t>(numbers[0].number()),
               stage = static_cast<std::size_t>(numbers[1].number());
    if (lane >= plot.lanes.size() || stage >= plot.stages.size()) span.fail("the number of a lane and of a stage");
    plot.spans.push_back({lane, stage, numbers[2].number(), numbers[3].number(), numbers[4].number()});
  }
  return PageSection{"Timeline", {std::move(plot)}};
}

std::vector<double> numbers_of(const JsonView& array, std::size_t count) {
  std::vector<double> numbers;
  for (const JsonView& number : array.items()) numbers.push_back(number.number());
  if (numbers.size() != count) array.fail("as many numbers as there are samples");
  return numbers;
}

// Samples of amounts: {"seconds", "begins", "parts": {name: [...]}, ...}.
AreaPlot area_of(const JsonView& samples) {
  AreaPlot plot{.seconds = samples.at("seconds").number()};
  for (const JsonView& begin : samples.at("begins").items()) plot.begins.push_back(begin.number());
  for (const auto& [name, values] : samples.at("parts").members()) {
    plot.names.push_back(name);
    plot.values.push_back(numbers_of(values, plot.begins.size()));
  }
  return plot;
}

std::optional<AreaPlot> memory_plot(const JsonView& job) {
  const auto samples = job.find("memory_over_time");
  if (!samples) return std::nullopt;
  AreaPlot plot = area_of(*samples);
  plot.title = "Memory by consumer over time";
  plot.note =
      "What consumers have reserved of the budget, the most in each sample. The line is the resident set of the "
      "process: what is reserved and not touched is not resident.";
  plot.value_name = "memory";
  plot.unit = memory_unit();
  plot.limit = job.at("memory_bytes").number();
  plot.limit_name = "budget";
  plot.line = numbers_of(samples->at("resident"), plot.begins.size());
  plot.line_name = "resident";
  return plot;
}

std::optional<AreaPlot> disk_plot(const JsonView& job) {
  const auto samples = job.find("disk_over_time");
  if (!samples) return std::nullopt;
  AreaPlot plot = area_of(*samples);
  plot.title = "Disk space over time";
  plot.value_name = "disk space";
  plot.unit = bytes_unit();
  const auto options = job.find("options");
  const double limit = options ? options->number_at("temp_limit_bytes") : 0;
  if (limit != 0) {
    plot.limit = limit;
    plot.limit_name = "limit of scratch files";
  }
  return plot;
}

PageSection resources_section(const JsonView& job) {
  PageSection section{"Memory and disk", {}};
  if (auto memory = memory_plot(job)) {
    section.items.emplace_back(std::move(*memory));
  } else if (job.has("peak_resident_bytes") && job.has("memory_bytes")) {
    BarPlot plot{.title = "Memory", .category_name = "amount", .value_name = "memory", .unit = memory_unit()};
    plot.categories = {"peak of the resident memory", "budget"};
    plot.series.push_back(
        {.name = "memory", .values = {job.value_at("peak_resident_bytes"), job.value_at("memory_bytes")}});
    section.items.emplace_back(std::move(plot));
  }
  if (auto disk = disk_plot(job)) section.items.emplace_back(std::move(*disk));
  return section;
}

std::optional<PageSection> skipped_section(const JsonView& job) {
  const auto skipped = job.find("skipped");
  const auto examples = job.find("examples");
  if (!skipped || skipped->members().empty()) return std::nullopt;
  BarPlot plot{.title = "Records that are not indexed",
               .category_name = "reason",
               .value_name = "records",
               .unit = count_unit()};
  BarSeries series{.name = "records", .values = {}};
  for (const auto& [reason, count] : skipped->members()) {
    plot.categories.push_back(reason);
    series.values.push_back(Value{count.number(), count.number(), count.number()});
  }
  plot.series.push_back(std::move(series));
  PageSection section{"What was skipped", {std::move(plot)}};
  Table table{.title = "Examples", .head = {"reason", "file or document", "detail", "byte"}};
  table.text_columns = 3;
  for (const JsonView& one : examples ? examples->items() : std::vector<JsonView>()) {
    table.rows.push_back({one.at("reason").text(), one.at("path").text(), one.text_at("detail"),
                          quantity_text(one.number_at("offset"), plain_unit())});
  }
  if (!table.rows.empty()) section.items.emplace_back(std::move(table));
  return section;
}

PageSection plan_section(const JsonView& job) {
  PageSection section{"Plan and options", {}};
  if (const auto plan = job.find("plan"); plan && !plan->text().empty()) {
    section.items.emplace_back(Listing{"The plan and its reasons", plan->text()});
  }
  if (const auto options = job.find("options")) {
    Facts facts;
    for (const auto& [name, value] : options->members()) facts.rows.emplace_back(name, value.words());
    section.items.emplace_back(std::move(facts));
  }
  return section;
}

}  // namespace

std::vector<PageSection> job_sections(const JsonReport& report) {
  const JsonView job = report.view();
  const auto error = job.find("error");
  PageSection summary{"Summary",
                      {Paragraph{error ? "The job failed: " + error->text() : job_lead(job)}, facts_of(job)}};
  std::vector<PageSection> sections{std::move(summary)};
  if (auto timeline = timeline_section(job)) sections.push_back(std::move(*timeline));
  if (auto stages = stages_plot(job)) sections.push_back({"Stages", {std::move(*stages)}});
  for (auto* const make : {resources_section, plan_section}) {
    if (PageSection section = make(job); !section.items.empty()) sections.push_back(std::move(section));
  }
  if (auto skipped = skipped_section(job)) sections.push_back(std::move(*skipped));
  return sections;
}

}  // namespace spillway
