// A whole job on a file system that fails at its nth operation, or stops there. It ends with the right index or with an
// error and no index; the next job gives the same bytes as one that nothing happened to.
#include <gtest/gtest.h>

#include "io/error.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace spillway {
namespace {

using testing::Crash;
using testing::CrashError;
using testing::Fault;
using testing::FaultKind;
using testing::FaultyFileSystem;

constexpr const char* kOutput = "/work/out";

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

IndexReport index_on(FaultyFileSystem& files) {
  IndexOptions options = testing::index_job({"/work/in.jsonl"}, kOutput);
  options.block_bytes = 1;
  options.memory_bytes = testing::tight_memory(60);
  std::atomic<int> signal_number{0};
  IndexProgress progress;
  const auto ignore = [](const std::string&) {};
  IndexReport report;
  run_index(options, {files, signal_number, progress, ignore, ignore}, report);
  return report;
}

// Everything below the working directory but the input.
std::map<std::string, std::string> all_files(FaultyFileSystem& files) {
  std::map<std::string, std::string> found;
  for (const std::string& path : files.all_paths()) {
    if (!path.starts_with("/work/") || path == "/work/in.jsonl") continue;
    try {
      found[path] = files.get(path);
    } catch (const std::out_of_range&) {
      found[path] = "(directory)";
    }
  }
  return found;
}

class JobFaults : public ::testing::TestWithParam<Fault> {
 protected:
  static void SetUpTestSuite() {
    FaultyFileSystem files;
    files.put("/work/in.jsonl", corpus());
    const IndexReport report = index_on(files);
    expected_ = all_files(files);
    ASSERT_GT(report.runs_spilled, 0U) << report.runs << " runs, none of them spilled\n" << report.plan;
    ASSERT_TRUE(expected_.contains(kOutput));
    ASSERT_FALSE(expected_.contains(std::string(kOutput) + ".work"));
  }

  // Fails some of the operations that can fail this way: `count` of them, evenly spread, and each of the last ones,
  // which publish.
  void sweep(std::uint64_t count) {
    const std::uint64_t all = eligible_operations();
    ASSERT_GT(all, 20U);
    const std::uint64_t last = all - std::min<std::uint64_t>(all, 15);
    std::uint64_t fired = 0, tried = 0;
    for (std::uint64_t n = 0; n < all;
         n += n < last ? std::max<std::uint64_t>(1, std::min(last - n, all / count)) : 1) {
      SCOPED_TRACE("operation " + std::to_string(n) + " of " + std::to_string(all));
      ++tried;
      fired += fail_at(n) ? 1 : 0;
      if (HasFailure()) return;
    }
    EXPECT_GT(fired, tried / 2);  // threads and free memory make the number of operations differ a little
  }

 private:
  static std::unique_ptr<FaultyFileSystem> files_with(Fault fault, std::uint64_t at) {
    auto files = std::make_unique<FaultyFileSystem>();
    files->put("/work/in.jsonl", corpus());
    fault.at = at;
    files->inject(fault);
    return files;
  }

  static std::uint64_t eligible_operations() {
    const auto fires = [](std::uint64_t n) {
      const auto files = files_with(GetParam(), n);
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

  // Did the fault fire?
  static bool fail_at(std::uint64_t n) {
    const auto files = files_with(GetParam(), n);
    const bool done = attempt(*files);
    const bool fired = files->faults_fired() > 0;
    if (GetParam().kind == FaultKind::kCrash) {
      files->restart(GetParam().sticky ? Crash::kPower : Crash::kProcess);
    } else {
      files->inject({});
    }
    expect_whole_or_nothing(*files, done);
    run_again(*files);
    return fired;
  }

  static bool attempt(FaultyFileSystem& files) {
    try {
      index_on(files);
      return true;
    } catch (const Error&) {
    } catch (const CrashError&) {
    }
    return false;
  }

  // An index that is there is the right one, whole; where the job said that it was done, it is there.
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
    ASSERT_NO_THROW(index_on(files));
    EXPECT_TRUE(all_files(files) == expected_) << "the index differs, or something was left";
  }

  static inline std::map<std::string, std::string> expected_;
};

TEST_P(JobFaults, EndWithTheRightIndexOrWithNone) { sweep(25); }

std::string name_of(const ::testing::TestParamInfo<Fault>& tested) {
  static const std::map<FaultKind, std::string> kNames{
      {FaultKind::kIoError, "IoError"},           {FaultKind::kNoSpace, "NoSpace"},
      {FaultKind::kTooManyFiles, "TooManyFiles"}, {FaultKind::kShortWrite, "ShortWrite"},
      {FaultKind::kShortRead, "ShortRead"},       {FaultKind::kCrash, "Crash"}};
  if (tested.param.kind == FaultKind::kCrash) return tested.param.sticky ? "PowerLoss" : "Crash";
  return kNames.at(tested.param.kind) + (tested.param.sticky ? "ForGood" : "Once");
}

INSTANTIATE_TEST_SUITE_P(Of, JobFaults,
                         ::testing::Values(Fault{FaultKind::kIoError, 0, false}, Fault{FaultKind::kIoError, 0, true},
                                           Fault{FaultKind::kNoSpace, 0, false}, Fault{FaultKind::kNoSpace, 0, true},
                                           Fault{FaultKind::kTooManyFiles, 0, false},
                                           Fault{FaultKind::kShortWrite, 0, false},
                                           Fault{FaultKind::kShortRead, 0, false}, Fault{FaultKind::kCrash, 0, false},
                                           Fault{FaultKind::kCrash, 0, true}),
                         name_of);

}  // namespace
}  // namespace spillway
