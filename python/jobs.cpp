// Jobs that make, read or check indexes. Their options are words of the command line, so that Python and the program
// take the same ones, and refuse them in the same words.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "indexer/job/index_job.hpp"
#include "indexer/job/merge_job.hpp"
#include "indexer/plan/job.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/index/reader.hpp"
#include "io/index/verify.hpp"
#include "io/memory/budget.hpp"
#include "io/memory/program_bytes.hpp"
#include "python/bindings.hpp"
#include "python/job_thread.hpp"
#include "python/object_files.hpp"
#include "python/stream.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/export_run.hpp"
#include "tools/options/append.hpp"
#include "tools/options/index.hpp"
#include "tools/options/index_report.hpp"
#include "tools/options/merge.hpp"
#include "tools/options/merge_report.hpp"
#include "tools/options/plan_report.hpp"
#include "tools/report/progress.hpp"

namespace spillway::python {

namespace {

namespace nb = nanobind;

using Words = std::vector<std::string>;

// The report of a job as JSON, and its warnings.
using Outcome = std::pair<std::string, Words>;

// Progress for people (true: a line on a terminal), for a function, or for nobody.
class Progress {
 public:
  explicit Progress(nb::object wanted)
      : function_(PyCallable_Check(wanted.ptr()) != 0 ? std::move(wanted) : nb::object()),
        display_(figures_, function_.is_valid() || !nb::cast<bool>(wanted) ? ProgressStyle::kNone
                                                                           : progress_style(false, false)) {}

  IndexProgress& figures() { return figures_; }
  // On the caller's thread, with the lock.
  void tick() {
    if (!function_.is_valid()) return;
    nb::dict now;
    now["stage"] = figures_.stage.load();
    now["bytes_done"] = figures_.bytes_done.load();
    now["bytes_total"] = figures_.bytes_total.load();
    now["documents"] = figures_.documents.load();
    now["runs"] = figures_.runs.load();
    now["postings_done"] = figures_.postings_done.load();
    now["postings_total"] = figures_.postings_total.load();
    function_(now);
  }
  void stop() { display_.stop(); }

 private:
  nb::object function_;
  IndexProgress figures_;
  ProgressDisplay display_;
};

// Messages of a job; its threads add them one at a time.
class Messages {
 public:
  void add(const std::string& words) {
    const std::lock_guard lock(mutex_);
    words_.push_back(words);
  }
  Words take() { return std::move(words_); }

 private:
  std::mutex mutex_;
  Words words_;
};

// `columns`: as stream_of_rows() takes them. `input` is None where the words name files.
Outcome run_index_job(const std::string& name, const Words& words, nb::object input, const Words& columns,
                      nb::object wanted_progress) {
  Progress progress(std::move(wanted_progress));
  JobThread thread([&progress] { progress.tick(); });
  std::shared_ptr<ArrowStream> stream;
  if (!input.is_none()) stream = open_stream(std::move(input), columns, thread);
  Messages messages;
  IndexReport report;
  std::string json;
  thread.run([&](std::atomic<int>& signal_number) {
    const bool appends = name == "append";
    Command command = appends ? append_command() : index_command();
    if (stream != nullptr) command.min_operands = appends ? 1 : 0;
    const Arguments arguments = parse_arguments(command, words);
    const auto check = interruption_check(signal_number);
    ObjectFileSystem files(posix_file_system(), signal_number);
    IndexOptions options = appends ? append_options(arguments, files, check) : index_options(arguments, files, check);
    options.corpus.arrow = std::move(stream);
    options.program_bytes = kLibraryProgramBytes + files.expect(options.inputs, options.memory_bytes);
    run_index(options,
              {.files = files,
               .signal_number = signal_number,
               .progress = progress.figures(),
               .warn = [&](const std::string& text) { messages.add(text); },
               .say = [](const std::string&) {}},
              report);
    json = index_report_json(options, report, {}).dump();
  });
  progress.stop();
  return {json, messages.take()};
}

Outcome run_merge_job(const Words& words, nb::object wanted_progress) {
  Progress progress(std::move(wanted_progress));
  JobThread thread([&progress] { progress.tick(); });
  Messages messages;
  std::string json;
  thread.run([&](std::atomic<int>& signal_number) {
    FileSystem& files = posix_file_system();
    MergeOptions options = merge_options(parse_arguments(merge_command(), words), files);
    options.program_bytes = kLibraryProgramBytes;
    MergeReport report;
    run_merge(options,
              {files, signal_number, progress.figures(), [&](const std::string& text) { messages.add(text); },
               [](const std::string&) {}},
              report);
    json = merge_report_json("merge", options, report, {}).dump();
  });
  progress.stop();
  return {json, messages.take()};
}

std::string plan_of(const Words& words) {
  std::string json;
  JobThread().run([&](std::atomic<int>& signal_number) {
    const auto check = interruption_check(signal_number);
    ObjectFileSystem files(posix_file_system(), signal_number);
    IndexOptions options = plan_options(parse_arguments(plan_command(), words), files, check);
    options.program_bytes = kLibraryProgramBytes + files.expect(options.inputs, options.memory_bytes);
    json = plan_json(plan_job(options, options.content, files, check), options).dump();
  });
  return json;
}

// Throws FormatError for a bad index.
nb::dict verify(const std::string& directory) {
  IndexCounts counts;
  std::uint64_t files = 0, bytes = 0;
  JobThread().run([&](std::atomic<int>& signal_number) {
    ObjectFileSystem file_system(posix_file_system(), signal_number);
    const IndexReader index(file_system, directory);
    verify_index(index, [&](std::uint64_t) { throw_if_interrupted(signal_number); });
    counts = index.counts();
    for (const auto& file : index.files()) {
      ++files;
      bytes += file.bytes;
    }
  });
  nb::dict checked;
  checked["files"] = files;
  checked["bytes"] = bytes;
  checked["documents"] = counts.documents;
  checked["terms"] = counts.terms;
  checked["postings"] = counts.postings;
  return checked;
}

void export_index(const Words& words) {
  JobThread().run([&](std::atomic<int>& signal_number) {
    Output out(-1, "standard output");  // nothing is written to it
    Session session{posix_file_system(), out, signal_number};
    run_export(parse_arguments(export_command(), words), session, kLibraryProgramBytes);
  });
}

}  // namespace

void bind_jobs(nb::module_& module) {
  module.def("run_index_job", run_index_job, nb::arg("command"), nb::arg("words"), nb::arg("input").none(),
             nb::arg("columns"), nb::arg("progress"));
  module.def("run_merge_job", run_merge_job, nb::arg("words"), nb::arg("progress"));
  module.def("plan", plan_of, nb::arg("words"));
  module.def("memory_of",
             [](const std::string& text) { return parse_size("--memory", text, available_memory_bytes() / 2); });
  module.def("verify", verify, nb::arg("directory"));
  module.def("export", export_index, nb::arg("words"));
}

}  // namespace spillway::python
