#include "tools/report_page/pages.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "tools/page/html.hpp"

namespace spillway {

namespace {

// The commands whose reports have a page. Reports of one benchmark share a page; every job has its own.
struct Kind {
  const char* command;
  const char* title;
  std::function<std::vector<PageSection>(const Reports&)> sections;  // empty: a job

  // Beside other kinds its sections are parts of one with its title. Papers have titles of their own.
  bool has_parts() const { return command != std::string("bench paper"); }
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kAll{{"bench sort records", "Sorters of integer keys", sort_sections},
                                      {"bench sort strings", "Sorters of strings", sort_sections},
                                      {"bench modes", "Modes of indexing", modes_sections},
                                      {"bench modes --sweep", "Where a GPU pays", sweep_sections},
                                      {"bench calibrate", "Costs of this machine", calibration_sections},
                                      {"bench paper", "The sorting papers again", paper_sections},
                                      {kCountersScript, "Counters of sorters", counters_sections},
                                      {"index", "An indexing job", {}},
                                      {"append", "A job that appends to an index", {}},
                                      {"merge", "A merge of indexes", {}},
                                      {"delete", "Documents removed from an index", {}},
                                      {"sort", "A sort of lines", {}}};
  return kAll;
}

const Kind& kind_of(const JsonReport& report) {
  std::string known;
  for (const Kind& kind : kinds()) {
    if (report.command == kind.command) return kind;
    known += (known.empty() ? "" : ", ") + std::string(kind.command);
  }
  report.view().at("command").fail("the report of one of " + known);
}

std::string gpus_text(const JsonView& machine) {
  std::string text;
  for (const JsonView& gpu : machine.at("gpus").items()) {
    text += (text.empty() ? "" : "; ") + gpu.at("name").text() + ", " +
            quantity_text(gpu.number_at("memory_bytes"), memory_unit());
  }
  return text.empty() ? "none: " + machine.text_at("gpu_state", "not known") : text;
}

void add_machine(const JsonView& machine, Facts& facts) {
  facts.rows.emplace_back("processor", machine.text_at("processor", "not known") + ", " +
                                           quantity_text(machine.number_at("usable_threads"), plain_unit()) +
                                           " threads");
  facts.rows.emplace_back("memory", quantity_text(machine.number_at("ram_bytes"), memory_unit()));
  // The report of a job does not look for GPUs.
  if (!machine.text_at("gpu_state").empty()) facts.rows.emplace_back("GPU", gpus_text(machine));
  if (const std::string driver = machine.text_at("driver"); !driver.empty()) {
    const std::string cuda = machine.text_at("driver_cuda");
    facts.rows.emplace_back("driver", cuda.empty() ? driver : driver + ", CUDA " + cuda);
  }
  facts.rows.emplace_back("system", machine.text_at("kernel", "not known"));
}

// Machine, build, command and options of one report.
PageSection origin_section(const JsonReport& report) {
  const JsonView view = report.view();
  const bool is_of_script = report.command == kCountersScript;
  Facts facts{
      {{"file", report.path}, {"command", is_of_script ? view.at("command").text() : "spillway " + report.command}}};
  std::string program = "spillway " + view.text_at("version");
  if (view.has("commit")) program += ", commit " + view.text_at("commit");
  if (view.has("compiler")) program += ", " + view.text_at("compiler") + " " + view.text_at("flags");
  facts.rows.emplace_back("program", program);
  if (view.has("date")) facts.rows.emplace_back("date", view.text_at("date"));
  if (const auto machine = view.find("machine")) {
    add_machine(*machine, facts);
  } else if (view.has("gpu")) {
    facts.rows.emplace_back("GPU", view.at("gpu").text());
  }
  if (view.has("note")) facts.rows.emplace_back("note", view.at("note").text());
  const bool is_bench = report.command.starts_with("bench");
  if (const auto options = view.find("options"); options && is_bench) {
    facts.rows.emplace_back("options", options->words());
  }
  return {"Machine and command: " + report.label, {std::move(facts)}};
}

// One line for the head of the page: machine, commit, date.
std::string subtitle_of(const JsonReport& report) {
  const JsonView view = report.view();
  std::string text = "spillway " + view.text_at("version");
  if (view.has("commit")) text += ", commit " + view.text_at("commit");
  if (view.has("date")) text += ", " + view.text_at("date").substr(0, 10);
  const auto machine = view.find("machine");
  if (!machine) return text;
  for (const JsonView& gpu : machine->at("gpus").items()) text = gpu.at("name").text() + "; " + text;
  return machine->text_at("processor", "unknown processor") + ", " +
         quantity_text(machine->number_at("usable_threads"), plain_unit()) + " threads; " + text;
}

void append(std::vector<PageSection>& all, std::vector<PageSection>&& more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

// Adds the sections as one: the first has its title, and the others are its parts.
void append_parts(const std::string& title, std::vector<PageSection>&& parts, std::vector<PageSection>& all) {
  for (PageSection& part : parts) {
    const bool is_first = &part == &parts.front();
    if (!is_first) part.short_title = part.title;
    part.title = is_first ? title : title + ": " + part.title;
  }
  append(all, std::move(parts));
}

}  // namespace

std::string series_name(const std::string& name, const JsonReport& report, const Reports& all) {
  return all.size() == 1 ? name : name + ", " + report.label;
}

Page page_of(const std::vector<JsonReport>& reports) {
  std::vector<const Kind*> found;
  for (const JsonReport& report : reports) {
    const Kind* kind = &kind_of(report);
    if (std::find(found.begin(), found.end(), kind) == found.end()) found.push_back(kind);
  }
  Page page{.title = found.size() == 1 ? found.front()->title : "Reports of spillway"};
  page.subtitle = reports.size() == 1 ? subtitle_of(reports.front())
                                      : quantity_text(static_cast<double>(reports.size()), plain_unit()) + " reports";
  for (const Kind* kind : found) {
    Reports of;
    for (const JsonReport& report : reports) {
      if (report.command == kind->command) of.push_back(&report);
    }
    if (kind->sections) {
      if (found.size() != 1 && kind->has_parts()) {
        append_parts(kind->title, kind->sections(of), page.sections);
      } else {
        append(page.sections, kind->sections(of));
      }
      continue;
    }
    for (const JsonReport* job : of) {
      if (reports.size() != 1) {
        append_parts(std::string(kind->title) + ", " + job->label, job_sections(*job), page.sections);
      } else {
        append(page.sections, job_sections(*job));
      }
    }
  }
  if (reports.size() > 1) page.sections.push_back({"Machines and commands", {}});
  for (const JsonReport& report : reports) {
    page.sections.push_back(origin_section(report));
    if (reports.size() > 1) page.sections.back().short_title = report.label;
  }
  return page;
}

std::string job_page_html(const nlohmann::ordered_json& report) {
  std::vector<JsonReport> reports(1);
  JsonReport& one = reports.front();
  one.command = report.at("command");
  one.path = one.label = "this job";
  one.json = report;
  return page_html(page_of(reports));
}

}  // namespace spillway
