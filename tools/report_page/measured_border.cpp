#include "tools/report_page/measured_border.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tools/report/figures.hpp"
#include "tools/report_page/read_reports.hpp"

namespace spillway {

namespace {

constexpr const char* kCommand = "bench modes --sweep";

std::uint64_t whole_number(const JsonView& value) {
  const double number = value.number();
  if (number < 0 || number > 1e18) value.fail("a number of bytes or threads");
  return static_cast<std::uint64_t>(number);
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
    const auto times = cell.value_at("times_faster");
    if (!times) continue;  // without a GPU
    MeasuredJob job{.text = cell.at("text").text(),
                    .threads = whole_number(cell.at("threads")),
                    .input_bytes = whole_number(cell.at("input_bytes")),
                    .times_faster = times->middle,
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
      job.faster_from_bytes = bytes_at(border, "faster_from_bytes");
      job.cheaper_from_bytes = bytes_at(border, "cheaper_from_bytes");
    }
  }
}

std::string gpu_of(const JsonView& report) {
  const auto gpus = report.at("machine").at("gpus").items();
  return gpus.empty() ? "no GPU" : gpus.front().at("name").text();
}

}  // namespace

MeasuredBorder read_measured_border(FileSystem& files, const std::string& path, std::uint64_t threads,
                                    std::uint64_t input_bytes) {
  const auto reports = read_json_reports(files, {path});
  const JsonView report = reports.front().view();
  if (reports.front().command != kCommand) report.at("command").fail(std::string("\"") + kCommand + "\"");
  MeasuredBorder border{.date = report.at("date").text(),
                        .commit = report.at("commit").text(),
                        .gpu = gpu_of(report),
                        .jobs = nearest_jobs(report, threads, input_bytes)};
  if (border.jobs.empty()) report.at("cases").fail("times of gpu+: the sweep ran without a GPU");
  take_borders(report, border.jobs);
  return border;
}

std::string MeasuredBorder::describe() const {
  std::string text = "measured (" + date + ", " + gpu + ", bench modes --sweep)\n";
  for (const MeasuredJob& job : jobs) {
    text += "  " + job.text + ": gpu+ was " + decimal_text(job.times_faster, 2) + " times as fast as cpu+ over " +
            bytes_text(job.input_bytes) + " with " + std::to_string(job.threads) +
            (job.threads == 1 ? " thread; " : " threads; ");
    text += job.faster_from_bytes ? "it was faster from " + bytes_text(*job.faster_from_bytes) + " on"
                                  : "it was not faster at the largest size";
    if (job.cheaper_from_bytes) text += ", and cheaper from " + bytes_text(*job.cheaper_from_bytes) + " on";
    text += "\n";
  }
  return text;
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
                    {"faster_from_bytes", bytes(job.faster_from_bytes)},
                    {"cheaper_from_bytes", bytes(job.cheaper_from_bytes)}});
  }
  return {{"date", border.date}, {"commit", border.commit}, {"gpu", border.gpu}, {"jobs", std::move(jobs)}};
}

}  // namespace spillway
