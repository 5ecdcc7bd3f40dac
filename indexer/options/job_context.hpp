// A job's connection to the program that runs it: file system, signals, progress, messages and skipped records.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "indexer/options/index_report.hpp"
#include "indexer/record/job_recorder.hpp"
#include "io/base/error.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

// The stage of a pass over the input before the one that parses (--revisits follow).
inline constexpr const char* kRevisitStage = "revisits";

// The figures of a progress line. Another thread may read them at any time.
struct IndexProgress {
  std::atomic<const char*> stage{"plan"};
  std::atomic<std::uint64_t> bytes_done{0}, bytes_total{0}, documents{0}, runs{0};
  std::atomic<std::uint64_t> run_postings{0}, run_occurrences{0};         // of the runs that blocks became
  std::atomic<std::uint64_t> postings_done{0}, postings_total{0};         // while merging
  const char *documents_name = "documents", *postings_name = "postings";  // of what is counted; set before the start
};

struct IndexContext {
  FileSystem& files;
  std::atomic<int>& signal_number;  // not 0: stop, clean up, throw InterruptedError
  IndexProgress& progress;
  std::function<void(const std::string&)> warn;  // messages for stderr; called from one thread at a time
  std::function<void(const std::string&)> say;   // messages for -v: the plan
  // Each record that is not indexed, in the order in which threads meet them; called from one thread at a time. May be
  // empty. What it throws ends the job.
  std::function<void(const SkippedRecord&)> skipped = {};
  // Files that are replaced when the job has ended. None may be an input.
  std::vector<std::string> reports = {};
  // Nothing in this process uses a GPU after the job, which then destroys its contexts while it merges.
  bool ends_gpu_use = false;
  JobRecorder* recorder = nullptr;  // of a job with a report of its stages over time
};

// A file of IndexContext::reports is an input; nothing may be written to any of them.
class ReportIsInputError : public UsageError {
 public:
  using UsageError::UsageError;
};

// Throws InterruptedError if the user has stopped the job.
inline void throw_if_stopped(const IndexContext& context) {
  if (const int number = context.signal_number.load(std::memory_order_relaxed)) throw InterruptedError(number);
}

}  // namespace spillway
