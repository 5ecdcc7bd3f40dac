#include "tools/report_page/measured_border.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "io/base/error.hpp"
#include "tools/report/figures.hpp"
#include "tools/report_page/read_reports.hpp"

namespace spillway {

namespace {

constexpr const char* kCommand = "bench modes --sweep";

constexpr double kMostTimesFaster = 1e6;

std::uint64_t whole_number(const JsonView& value) {
  const double number = value.number();
  if (number < 1 || number > 1e18 || number != std::floor(number)) value.fail("a whole number of bytes or threads");
  return static_cast<std::uint64_t>(number);
}

std::optional<double> times_faster_of(const JsonView& cell) {
  const auto times = cell.value_at("times_faster");
  if (!times) return std::nullopt;  // without a GPU
  if (times->middle <= 0 || times->middle > kMostTimesFaster) {
    cell.at("times_faster").fail("a ratio above 0 and up to a million");
  }
  return times->middle;
}

std::optional<std::uint64_t> bytes_at(const JsonView& border, const std::string& name) {
  const auto value = border.find(name);
  return value ? std::optional(whole_number(*value)) : std::nullopt;
}

// How far `measured` is from `planned`, by their ratio.
double distance(std::uint64_t measured, std::uint64_t planned) {
  return std::abs(std::log(std::max(1.0, static_cast<double>(measured)) / std::max(1.0, static_cast<double>(planned))));
}

std::vector<MeasuredJob> nearest_jobs(const JsonView& report, std::uint64_t threads, std::uint64_t input_bytes) {
  const auto far = [&](const MeasuredJob& job) {
    return std::tuple(distance(job.threads, threads), distance(job.input_bytes, input_bytes));
  };
  std::vector<MeasuredJob> jobs;
  for (const JsonView& cell : report.at("cases").items()) {
    const auto times = times_faster_of(cell);
    if (!times) continue;
    MeasuredJob job{.text = cell.at("text").text(),
                    .threads = whole_number(cell.at("threads")),
                    .input_bytes = whole_number(cell.at("input_bytes")),
                    .times_faster = *times,
                    .faster_from_bytes = {},
                    .cheaper_from_bytes = {}};
    const auto same = std::find_if(jobs.begin(), jobs.end(), [&](const auto& other) { return other.text == job.text; });
    if (same == jobs.end()) {
      jobs.push_back(std::move(job));
    } else if (far(job) < far(*same)) {
      *same = std::move(job);
    }
  }
  return jobs;
}

void take_borders(const JsonView& report, std::vector<MeasuredJob>& jobs) {
  for (const JsonView& border : report.at("borders").items()) {
    for (MeasuredJob& job : jobs) {
      if (border.at("text").text() != job.text || whole_number(border.at("threads")) != job.threads) continue;
      job.has_border = true;
      job.faster_from_bytes = bytes_at(border, "faster_from_bytes");
      job.cheaper_from_bytes = bytes_at(border, "cheaper_from_bytes");
    }
  }
}

// The GPU that the sweep names, or the machine's first.
std::string gpu_of(const JsonView& report) {
  const auto gpus = report.at("machine").at("gpus").items();
  if (gpus.empty()) return "no GPU";
  const auto options = report.find("options");
  const auto used = options ? options->find("gpu") : std::nullopt;
  const auto found = std::find_if(
      gpus.begin(), gpus.end(), [&](const JsonView& gpu) { return used && gpu.number_at("id", -1) == used->number(); });
  return (found == gpus.end() ? gpus.front() : *found).at("name").text();
}

void take_options(const JsonView& report, MeasuredBorder& border) {
  const auto options = report.find("options");
  if (!options) return;
  border.has_costs = options->has("cost_cpu_per_hour") && options->has("cost_gpu_per_hour");
  border.gpu_start_seconds = options->number_at("gpu_start_seconds");
  if (border.gpu_start_seconds < 0) options->at("gpu_start_seconds").fail("seconds from 0 on");
}

std::string border_words(const MeasuredJob& job, bool has_costs) {
  if (!job.has_border) return "the report has no border for these threads";
  std::string text = job.faster_from_bytes
                         ? "with the start it was faster from " + bytes_text(*job.faster_from_bytes) + " on"
                         : "with the start it was not faster at the largest size";
  if (job.cheaper_from_bytes) return text + ", and cheaper from " + bytes_text(*job.cheaper_from_bytes) + " on";
  return text + (has_costs ? ", and not cheaper at the largest size" : "");
}

}  // namespace

MeasuredBorder read_measured_border(FileSystem& files, const std::string& path, std::uint64_t threads,
                                    std::uint64_t input_bytes) {
  const auto reports = read_json_reports(files, {path});
  const JsonView report = reports.front().view();
  if (reports.front().command != kCommand) report.at("command").fail(std::string("\"") + kCommand + "\"");
  MeasuredBorder border{.date = report.at("date").text(),
                        .commit = report.at("commit").text(),
                        .processor = report.at("machine").text_at("processor", "an unknown processor"),
                        .gpu = gpu_of(report),
                        .jobs = nearest_jobs(report, threads, input_bytes)};
  if (border.jobs.empty()) {
    report.at("cases").fail("times of gpu+: this sweep ran without a GPU",
                            "run `bench modes --sweep --json FILE` where one can be used");
  }
  take_borders(report, border.jobs);
  take_options(report, border);
  return border;
}

std::string MeasuredBorder::describe() const {
  std::string text = "measured (" + printable(date) + ", " + printable(gpu) +
                     ", bench modes --sweep; its sizes are of plain text in files, those of the input as stored)\n";
  const std::string start = gpu_start_seconds > 0 ? " (" + decimal_text(gpu_start_seconds, 2) + " s)" : "";
  for (const MeasuredJob& job : jobs) {
    text += "  " + printable(job.text) + ": once its GPU had started" + start + ", gpu+ was " +
            decimal_text(job.times_faster, 2) + " times as fast as cpu+ over " + bytes_text(job.input_bytes) +
            " with " + std::to_string(job.threads) + (job.threads == 1 ? " thread; " : " threads; ") +
            border_words(job, has_costs) + "\n";
  }
  return text;
}

std::string MeasuredBorder::warning(const nlohmann::ordered_json& machine) const {
  const auto& gpus = machine.at("gpus");
  const bool has_gpu = std::any_of(gpus.begin(), gpus.end(), [&](const auto& one) { return one.at("name") == gpu; });
  const std::string here = machine.at("processor").get<std::string>();
  if (has_gpu && here == processor) return "";
  const std::string gpu_here = gpus.empty() ? "no GPU" : gpus.front().at("name").get<std::string>();
  return "the sweep ran on another machine: " + printable(processor) + " and " + printable(gpu) + "; this one has " +
         printable(here) + " and " + printable(gpu_here);
}

nlohmann::ordered_json measured_border_json(const MeasuredBorder& border) {
  const auto bytes = [](const std::optional<std::uint64_t>& from) -> nlohmann::ordered_json {
    return from ? nlohmann::ordered_json(*from) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json jobs = nlohmann::ordered_json::array();
  for (const MeasuredJob& job : border.jobs) {
    jobs.push_back({{"text", job.text},
                    {"threads", job.threads},
                    {"input_bytes", job.input_bytes},
                    {"times_faster", job.times_faster},
                    {"has_border", job.has_border},
                    {"faster_from_bytes", bytes(job.faster_from_bytes)},
                    {"cheaper_from_bytes", bytes(job.cheaper_from_bytes)}});
  }
  return {{"date", border.date},
          {"commit", border.commit},
          {"processor", border.processor},
          {"gpu", border.gpu},
          {"gpu_start_seconds", border.gpu_start_seconds},
          {"has_costs", border.has_costs},
          {"jobs", std::move(jobs)}};
}

}  // namespace spillway
