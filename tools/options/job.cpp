#include "tools/options/job.hpp"

#include <new>

#include "io/memory/budget.hpp"
#include "tools/cli/build_facts.hpp"
#include "tools/cli/option_values.hpp"

namespace spillway {

using boost::program_options::options_description;

namespace {

std::vector<std::string> temp_directories(const Arguments& arguments, FileSystem& files) {
  std::vector<std::string> directories = arguments.texts("temp-dir");
  for (const std::string& directory : directories) {
    const auto status = files.status(directory);
    if (!status || status->type != FileType::kDirectory) {
      throw UsageError("--temp-dir '" + printable(directory) + "': there is no such directory; make it first");
    }
  }
  return directories;
}

}  // namespace

void add_output_options(options_description& group) {
  add_value(group, "output,o", "DIR", "the index to make");
  add_flag(group, "force", "replace an existing index and report");
  add_resume_options(group, "DIR");
}

void add_resume_options(options_description& group, const std::string& output) {
  add_flag(group, "resumable",
           ("if the job is interrupted, keep what is done in " + output +
            ".work, so that the same command goes on from there; and go on with such a job")
               .c_str());
  add_restart_option(group, output);
}

void add_restart_option(options_description& group, const std::string& output) {
  add_flag(group, "restart", ("discard an interrupted job in " + output + ".work, and begin anew").c_str());
}

void add_resource_options(options_description& group) {
  add_value(group, "memory", "SIZE",
            "limit of all memory of the process (default: half of what is available; 50% is half of that)");
  add_value(group, "threads", "N", "threads (default: one per usable processor)");
}

void add_scratch_options(options_description& group) {
  add_values(group, "temp-dir", "DIR",
             "directory for sorted runs (default: beside the index); several are used in turn");
  add_value(group, "temp-limit", "SIZE", "limit of disk space for runs");
}

void add_report_options(options_description& group) {
  add_value(group, "json", "FILE", "write a report as JSON");
  add_value(group, "report", "FILE",
            "write a page (HTML) of the job: stages over time, memory by consumer, disk space, plan, what was skipped; "
            "with --json too, that has the same");
  add_flag(group, "progress", "show progress even if standard error is not a terminal");
  add_flag(group, "quiet,q", "print only errors");
  add_flag(group, "verbose,v", "also print the plan, and why");
}

std::string output_option(const Arguments& arguments) {
  const auto output = arguments.text("output");
  if (!output || output->empty()) throw UsageError("no output named; give -o DIR, the index to make");
  return *output;
}

ResumeOptions resume_options(const Arguments& arguments) {
  return {arguments.has("resumable"), arguments.has("restart"), kVersion};
}

JobResources job_resources(const Arguments& arguments, FileSystem& files) {
  JobResources result;
  take_size(arguments, "memory", result.memory_bytes, available_memory_bytes() / 2);
  take_count(arguments, "threads", 1, 1024, result.threads);
  result.temp_directories = temp_directories(arguments, files);
  take_size(arguments, "temp-limit", result.temp_limit_bytes);
  return result;
}

void refuse_both(const Arguments& arguments, const char* one, const char* other) {
  if (!arguments.has(one) || !arguments.has(other)) return;
  throw UsageError(std::string("--") + one + " and --" + other + " contradict each other; give one of them");
}

ExitCode exit_code_of(const std::exception& error) {
  if (const auto* known = dynamic_cast<const Error*>(&error)) return known->code();
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? ExitCode::kOverBudget : ExitCode::kUsageOrIo;
}

}  // namespace spillway
