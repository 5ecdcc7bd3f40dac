#include "tools/commands/sort/report.hpp"

#include "io/memory/budget.hpp"
#include "tools/cli/build_facts.hpp"
#include "tools/cli/signals.hpp"
#include "tools/report/json.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

void refuse_output(FileSystem& files, const std::string& report, const std::optional<std::string>& output) {
  if (report == "-" && !output) {
    throw SortError("--json - and the sorted lines would both go to standard output; name a file with --json or -o");
  }
  if (report == "-" || !output) return;
  const auto status = files.status(report);
  const bool is_other_file = status && status->type != FileType::kRegular;
  if (!is_other_file && files.resolve(report) == files.resolve(*output)) {
    throw SortError("--json " + quote(report) + " is the output of -o too; name another file");
  }
}

}  // namespace

SortReport::SortReport(const SortOptions& options, Session& session)
    : options_(options),
      session_(session),
      display_(progress_, options.shows_progress ? progress_style(true, false) : ProgressStyle::kNone) {
  progress_.documents_name = "lines";
  progress_.postings_name = "bytes";
  progress_.stage = "read";
  if (!options.report_path) return;
  refuse_output(session.files, *options.report_path, options.output);
  refuse_input(session.files, "--json", *options.report_path, options.inputs);
  const auto if_there = options.replaces_report ? OutputFile::IfThere::kReplace : OutputFile::IfThere::kRefuse;
  file_.emplace(session, "--json", *options.report_path, if_there);
}

void SortReport::expect_sizes() {
  std::uint64_t bytes = 0;
  for (const std::string& path : options_.inputs) {
    const auto status = path == "-" ? std::nullopt : session_.files.status(path);
    if (!status || status->type != FileType::kRegular) return;
    bytes += status->size;
  }
  progress_.bytes_total = bytes;
}

std::optional<std::uint64_t> SortReport::expected_input_bytes() const {
  const std::uint64_t bytes = progress_.bytes_total;
  return bytes == 0 ? std::nullopt : std::optional(bytes);
}

std::function<void()> SortReport::check_of(const LineInput*& input) {
  return [this, &input] {
    throw_if_interrupted(session_.signal_number);
    if (input != nullptr) progress_.bytes_done = input->bytes_read();
  };
}

void SortReport::take(const LineSortSummary& summary) {
  summary_ = summary;
  progress_.stage = summary.stage;
  progress_.documents = summary.lines;
  progress_.runs = summary.runs;
  const bool is_reading = summary.stage == std::string_view("read");
  const std::uint64_t bytes = options_.merges ? progress_.bytes_total.load() : summary.bytes;
  if (!is_reading && !options_.head) progress_.postings_total = bytes;
}

std::optional<std::uint64_t> SortReport::expected_output_bytes() const {
  const bool has_all_lines = !options_.order.is_unique && !options_.counts && !options_.head && !options_.debug;
  const bool is_reading = summary_.stage == std::string_view("read");
  if (is_reading || options_.merges || !has_all_lines || options_.output_packing != SortPacking::kNone) return {};
  return summary_.bytes;
}

void SortReport::note_resources(std::size_t memory_bytes, std::size_t threads) {
  memory_bytes_ = memory_bytes;
  threads_ = threads;
}

ordered_json SortReport::json(int exit_code, const std::string& error) const {
  const LineSortSummary::Seconds& seconds = summary_.seconds;
  ordered_json stages = ordered_json::array();
  for (const auto& [name, wall] :
       {std::pair{"read", seconds.read}, std::pair{"split", seconds.split}, std::pair{"spill", seconds.spill},
        std::pair{"merge", seconds.merge}, std::pair{"write", seconds.write}}) {
    stages.push_back({{"name", name}, {"wall_seconds", wall}});
  }
  const double all = watch_.seconds();
  return {{"program", "spillway"},
          {"version", kVersion},
          {"command", "sort"},
          {"exit_code", exit_code},
          {"error", error.empty() ? ordered_json() : ordered_json(error)},
          {"inputs", options_.inputs},
          {"output", options_.output ? ordered_json(*options_.output) : ordered_json()},
          {"input_bytes", summary_.bytes},
          {"lines", summary_.lines},
          {"output_bytes", output_bytes_},
          {"sorter", options_.merges ? ordered_json() : ordered_json(options_.sorter)},
          {"seconds", all},
          {"bytes_per_second", all > 0 ? static_cast<double>(summary_.bytes) / all : 0},
          {"threads", threads_},
          {"memory_bytes", memory_bytes_},
          {"peak_resident_bytes", peak_resident_bytes()},
          {"runs", summary_.runs},
          {"spilled_bytes", summary_.spilled_bytes},
          {"resumed_bytes", summary_.resumed_bytes},
          {"stages", stages}};
}

void SortReport::write(int exit_code, const std::string& error) {
  if (!file_) return;
  file_->write(json_text(json(exit_code, error)));
  file_->finish();
}

void SortReport::finish() {
  display_.stop();
  try {
    write(0, "");
  } catch (const InterruptedError&) {
    throw;
  } catch (const Error& error) {
    throw SortError(std::string("the output is complete, only its report is not: ") + error.what());
  }
}

void SortReport::finish_failed(const std::exception& error) {
  display_.stop();
  try {
    const auto* const interrupted = dynamic_cast<const InterruptedError*>(&error);
    const ExitCode code = interrupted != nullptr ? interrupted->code() : ExitCode::kUsageOrIo;
    write(static_cast<int>(code), error.what());
  } catch (const Error& of_report) {
    print_message(std::string("sort: the report: ") + of_report.what());
  }
}

}  // namespace spillway
