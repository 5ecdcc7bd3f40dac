// Runs whole jobs on a file system that fails at its nth operation, or stops there. A job ends with the right index, or
// with an error and no index; the next job gives the same bytes as a job without faults.
#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace spillway {
namespace {

using testing::Crash;
using testing::CrashError;
using testing::Fault;
using testing::FaultKind;
using testing::FaultyFileSystem;

constexpr const char* kOutput = "/job/out";

const std::string& corpus() {
  static const std::string kCorpus = [] {
    testing::RandomDocuments shape;
    shape.count = 500;
    shape.words = 10;
    shape.long_document_words = 60;
    return testing::jsonl_of(testing::random_corpus(3, shape, true));
  }();
  return kCorpus;
}

IndexReport index_on(FaultyFileSystem& files, const SpaceAheadOptions& space_ahead = {}) {
  IndexOptions options = testing::index_job({"/job/in.jsonl"}, kOutput);
  options.block_bytes = 1;
  options.record_sorter = "cpu-radix";  // which keeps no blocks in memory
  options.memory_bytes = testing::tight_memory(60);
  options.space_ahead = space_ahead;
  files.set_in_memory(true);
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  IndexReport report;
  run_index(options, {files, signal_number, progress, ignore, ignore}, report);
  return report;
}

// Everything below the working directory but the inputs.
std::map<std::string, std::string> all_files(FaultyFileSystem& files) {
  std::map<std::string, std::string> found;
  for (const std::string& path : files.all_paths()) {
    if (!path.starts_with("/job/") || path == "/job/in.jsonl" || path.starts_with("/job/part")) continue;
    try {
      found[path] = files.get(path);
    } catch (const std::out_of_range&) {
      found[path] = "(directory)";
    }
  }
  return found;
}

constexpr std::uint32_t kParts = 4;

// The corpus, indexed in parts: every file of them.
const std::map<std::string, std::string>& parts() {
  static const std::map<std::string, std::string> kFiles = [] {
    FaultyFileSystem files;
    files.put("/job/in.jsonl", corpus());
    std::map<std::string, std::string> found;
    for (std::uint32_t part = 1; part <= kParts; ++part) {
      IndexOptions options = testing::index_job({"/job/in.jsonl"}, "/job/part" + std::to_string(part));
      options.corpus.part_number = part;
      options.corpus.part_count = kParts;
      std::atomic<int> signal_number{0};
      IndexProgress progress;
      const auto ignore = [](const std::string&) {};
      IndexReport report;
      run_index(options, {files, signal_number, progress, ignore, ignore}, report);
      for (const std::string& name : files.list(options.output)) {
        found[options.output + "/" + name] = files.get(options.output + "/" + name);
      }
    }
    return found;
  }();
  return kFiles;
}

MergeReport merge_on(FaultyFileSystem& files) {
  MergeOptions options;
  for (std::uint32_t part = 1; part <= kParts; ++part) options.inputs.push_back("/job/part" + std::to_string(part));
  options.output = kOutput;
  options.memory_bytes = testing::tight_memory(100);
  options.threads = 2;
  options.max_fan_in = 2;
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  MergeReport report;
  run_merge(options, {files, signal_number, progress, ignore, ignore}, report);
  return report;
}

// kAheadIndex: the files of the index are opened before the input is parsed.
enum class Job { kIndex, kAheadIndex, kMerge };

void set_up(FaultyFileSystem& files, Job job) {
  if (job != Job::kMerge) {
    files.put("/job/in.jsonl", corpus());
    return;
  }
  for (std::uint32_t part = 1; part <= kParts; ++part) files.make_directory("/job/part" + std::to_string(part));
  files.sync_directory("/job");
  for (const auto& [path, bytes] : parts()) files.put(path, bytes);
}

void run(FaultyFileSystem& files, Job job) {
  switch (job) {
    case Job::kIndex:
      index_on(files);
      return;
    case Job::kAheadIndex:
      index_on(files, {.least_index_bytes = 0, .least_threads = 1});
      return;
    case Job::kMerge:
      merge_on(files);
      return;
  }
}

struct JobFault {
  Job job;
  Fault fault;
};

class JobFaults : public ::testing::TestWithParam<JobFault> {
 protected:
  static void SetUpTestSuite() {
    FaultyFileSystem files;
    set_up(files, Job::kIndex);
    const IndexReport report = index_on(files);
    expected_ = all_files(files);
    ASSERT_GT(report.runs_spilled, 0U) << report.runs << " runs, none of them spilled\n" << report.plan;
    ASSERT_TRUE(expected_.contains(kOutput));
    ASSERT_FALSE(expected_.contains(std::string(kOutput) + ".work"));
    FaultyFileSystem merging;
    set_up(merging, Job::kMerge);
    ASSERT_GT(merge_on(merging).spilled_bytes, 0U);
    ASSERT_TRUE(all_files(merging) == expected_);
  }

  // Fails some of the operations that can fail this way: `count` of them, evenly spread, and each of the last ones,
  // which publish.
  void sweep(std::uint64_t count) {
    const std::uint64_t all = eligible_operations();
    ASSERT_GT(all, 20U);
    const std::uint64_t last = all - std::min<std::uint64_t>(all, 15);
    for (std::uint64_t n = 0; n < all;
         n += n < last ? std::max<std::uint64_t>(1, std::min(last - n, all / count)) : 1) {
      SCOPED_TRACE("operation " + std::to_string(n) + " of " + std::to_string(all));
      fail_near(n);
      if (HasFailure()) return;
    }
  }

 private:
  // Threads and free memory make the number of operations differ a little between runs. An operation that a run does
  // not reach is tried again; then the one before it.
  static void fail_near(std::uint64_t n) {
    for (int attempt = 1; !fail_at(n) && !HasFailure(); ++attempt) {
      ASSERT_LT(attempt, 50) << "no fault fired";
      if (attempt % 5 == 0 && n != 0) --n;
    }
  }

  static std::unique_ptr<FaultyFileSystem> files_with(Fault fault, std::uint64_t at) {
    auto files = std::make_unique<FaultyFileSystem>();
    set_up(*files, GetParam().job);
    fault.at = at;
    files->inject(fault);
    return files;
  }

  static std::uint64_t eligible_operations() {
    const auto fires = [](std::uint64_t n) {
      const auto files = files_with(GetParam().fault, n);
      attempt(*files);
      return files->faults_fired() > 0;
    };
    std::uint64_t low = 0, high = 16;  // the last that fires is in [low, high)
    while (fires(high)) high *= 2;
    while (low + 1 < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      (fires(middle) ? low : high) = middle;
    }
    return high;
  }

  // Returns whether the fault fired.
  static bool fail_at(std::uint64_t n) {
    const auto files = files_with(GetParam().fault, n);
    const bool done = attempt(*files);
    const bool fired = files->faults_fired() > 0;
    if (GetParam().fault.kind == FaultKind::kCrash) {
      files->restart(GetParam().fault.sticky ? Crash::kPower : Crash::kProcess);
    } else {
      files->inject({});
    }
    expect_whole_or_nothing(*files, done);
    run_again(*files);
    return fired;
  }

  static bool attempt(FaultyFileSystem& files) {
    try {
      run(files, GetParam().job);
      return true;
    } catch (const Error&) {
    } catch (const CrashError&) {
    }
    return false;
  }

  // Expects that an index at the output is whole and right, and that there is one if the job reported success.
  static void expect_whole_or_nothing(FaultyFileSystem& files, bool done) {
    std::map<std::string, std::string> output;
    for (const auto& [path, bytes] : all_files(files)) {
      if (path == kOutput || path.starts_with(std::string(kOutput) + "/")) output[path] = bytes;
    }
    if (done || !output.empty()) {
      EXPECT_TRUE(output == expected_);
    }
  }

  static void run_again(FaultyFileSystem& files) {
    if (files.status(kOutput)) files.remove_tree(kOutput);
    ASSERT_NO_THROW(run(files, GetParam().job));
    EXPECT_TRUE(all_files(files) == expected_) << "the index differs, or something was left";
  }

  static inline std::map<std::string, std::string> expected_;
};

// Merges are quick: each of their operations fails once.
TEST_P(JobFaults, EndWithTheRightIndexOrWithNone) { sweep(GetParam().job == Job::kMerge ? 1000000 : 25); }

std::string name_of(const ::testing::TestParamInfo<JobFault>& tested) {
  static const std::map<FaultKind, std::string> kNames{
      {FaultKind::kIoError, "IoError"},           {FaultKind::kNoSpace, "NoSpace"},
      {FaultKind::kTooManyFiles, "TooManyFiles"}, {FaultKind::kShortWrite, "ShortWrite"},
      {FaultKind::kShortRead, "ShortRead"},       {FaultKind::kCrash, "Crash"}};
  const auto& [job, fault] = tested.param;
  const std::string name = job == Job::kIndex ? "Index" : job == Job::kMerge ? "Merge" : "AheadIndex";
  if (fault.kind == FaultKind::kCrash) return name + (fault.sticky ? "PowerLoss" : "Crash");
  return name + kNames.at(fault.kind) + (fault.sticky ? "ForGood" : "Once");
}

std::vector<JobFault> all_faults() {
  std::vector<JobFault> faults;
  for (const Job job : {Job::kIndex, Job::kMerge}) {
    for (const auto& [kind, both] : {std::pair{FaultKind::kIoError, true},
                                     {FaultKind::kNoSpace, true},
                                     {FaultKind::kTooManyFiles, false},
                                     {FaultKind::kShortWrite, false},
                                     {FaultKind::kShortRead, false},
                                     {FaultKind::kCrash, true}}) {
      faults.push_back({job, {kind, 0, false}});
      if (both) faults.push_back({job, {kind, 0, true}});
    }
  }
  for (const FaultKind kind : {FaultKind::kIoError, FaultKind::kCrash}) faults.push_back({Job::kAheadIndex, {kind}});
  return faults;
}

INSTANTIATE_TEST_SUITE_P(Of, JobFaults, ::testing::ValuesIn(all_faults()), name_of);

}  // namespace
}  // namespace spillway
