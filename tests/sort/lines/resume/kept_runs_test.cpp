// Sorts over a file system that stops or fails at each of their operations: the next sort goes on to the same text, and
// what was committed is never lost, not even by a power failure.
#include "sort/lines/resume/kept_runs.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "io/base/error.hpp"
#include "io/scratch/job_files.hpp"
#include "sort/lines/sorter.hpp"
#include "tests/support/faulty_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::Crash;
using testing::CrashError;
using testing::FaultKind;
using testing::FaultyFileSystem;

class TextOutput final : public LineOutput {
 public:
  bool has_places() const override { return false; }
  void write(std::span<const std::uint8_t> bytes) override { text.append(bytes.begin(), bytes.end()); }
  void write_at(std::uint64_t, std::span<const std::uint8_t>) override {}
  std::string text;
};

class KeptSorts : public ::testing::Test {
 protected:
  KeptSorts() {
    std::string text;
    for (std::uint32_t i = 0; i < 3000; ++i) text += "line " + std::to_string(i * 2654435761U % 5000) + "\n";
    files_.put("/job/a", text);
    files_.put("/job/b", "");
    files_.put("/job/c", text.substr(0, 10'000));  // the last line has no end
    order_.is_unique = true;
    expected_ = sort(nullptr);
  }

  static SortDescription description() {
    SortDescription sort;
    sort.release = "1";
    sort.inputs.add({"x", "/job/a"}, 100);
    return sort;
  }
  std::unique_ptr<KeptRuns> keep(InterruptedSort interrupted = InterruptedSort::kGoOn) {
    return std::make_unique<KeptRuns>(files_, "/job/out.work", description(), interrupted);
  }

  // In one thread: then all operations come in the same order each time.
  std::string sort(RunKeeper* keeper) {
    LineSortOptions options;
    options.temp_directories = {scratch_.path()};
    options.block_bytes = 32 << 10;
    options.most_runs = 2;
    options.keeper = keeper;
    options.report = [&](const LineSortSummary& summary) { summary_ = summary; };
    TextOutput output;
    tbb::task_arena arena(1);
    arena.execute([&] {
      LineInput input(files_, {"/job/a", "/job/b", "/job/c"}, '\n', {});
      sort_lines(input, order_, options, output);
    });
    return output.text;
  }
  // The whole sort, as the command does it; what is kept goes at the end.
  std::string sort_resumably() {
    const auto kept = keep();
    std::string text = sort(kept.get());
    kept->remove();
    return text;
  }
  std::uint64_t committed() {
    if (!has_directory()) return 0;
    const auto newest = read_newest_commit(files_, "/job/out.work");
    return newest ? SortCommit::parse(newest->text, newest->path).done.bytes : 0;
  }
  bool has_directory() { return files_.status("/job/out.work").has_value(); }

  FaultyFileSystem files_;
  testing::ScratchDirectory scratch_;
  LineOrder order_;
  std::string expected_;
  LineSortSummary summary_;
};

TEST_F(KeptSorts, HaveRunsAndMergeThemInPasses) {
  std::uint64_t most_steps = 0;
  {
    const auto kept = keep();
    EXPECT_EQ(sort(kept.get()), expected_);
    EXPECT_GE(summary_.runs, 4U);
    const auto newest = read_newest_commit(files_, "/job/out.work");
    most_steps = SortCommit::parse(newest->text, newest->path).merge_steps;
  }
  EXPECT_GE(most_steps, 2U);
  EXPECT_TRUE(has_directory());
  EXPECT_EQ(sort_resumably(), expected_);
  EXPECT_EQ(summary_.resumed_bytes, summary_.bytes);
  EXPECT_FALSE(has_directory());
}

TEST_F(KeptSorts, AreToBeBegunAnewWhereAFileIsGone) {
  { sort(keep().get()); }
  const auto message = [&] {
    try {
      sort(keep().get());
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  int removed = 0;
  for (const std::string& name : files_.list("/job/out.work")) {
    if (!name.starts_with("spillway-run-") && name != "spillway-job") continue;
    const std::string path = "/job/out.work/" + name;
    const auto text = read_file(files_, path);
    files_.remove(path);
    EXPECT_TRUE(message().starts_with(path + ": expected ")) << message();
    EXPECT_NE(message().find("it was removed; give --restart to sort anew"), std::string::npos) << message();
    files_.put(path, text);
    ++removed;
  }
  EXPECT_GT(removed, 1);
}

TEST_F(KeptSorts, GoOnAfterACrashAtEachOperation) {
  for (const Crash crash : {Crash::kProcess, Crash::kPower}) {
    std::uint64_t crashes = 0;
    for (std::uint64_t at = 0;; ++at) {
      files_.inject({.kind = FaultKind::kCrash, .at = at});
      try {
        sort_resumably();
      } catch (const CrashError&) {  // NOLINT(bugprone-empty-catch): what the test asks for
      }
      const bool has_fired = files_.faults_fired() != 0;
      files_.restart(crash);
      if (!has_fired) break;
      ++crashes;
      const std::uint64_t before = committed();
      ASSERT_EQ(sort_resumably(), expected_) << "after operation " << at;
      ASSERT_EQ(summary_.resumed_bytes, before) << "after operation " << at;
      ASSERT_FALSE(has_directory()) << "after operation " << at;
    }
    EXPECT_GT(crashes, 150U);
  }
}

// At most the block in progress is lost.
TEST_F(KeptSorts, LoseNoCommitByAPowerFailure) {
  std::uint64_t most = 0;
  for (std::uint64_t at = 0;; at += 3) {
    files_.inject({.kind = FaultKind::kCrash, .at = at});
    std::uint64_t told = 0;
    try {
      const auto kept = keep();
      try {
        sort(kept.get());
      } catch (const CrashError&) {
        told = kept->done().bytes;
        throw;
      }
    } catch (const CrashError&) {  // NOLINT(bugprone-empty-catch): what the test asks for
    }
    const bool has_fired = files_.faults_fired() != 0;
    files_.restart(Crash::kPower);
    if (!has_fired) break;
    EXPECT_GE(committed(), told) << "after operation " << at;
    most = std::max(most, told);
    files_.remove_tree("/job/out.work");
  }
  EXPECT_GT(most, 30'000U);
}

TEST_F(KeptSorts, GoOnAfterEachFault) {
  for (const FaultKind kind : {FaultKind::kIoError, FaultKind::kNoSpace, FaultKind::kShortWrite}) {
    for (std::uint64_t at = 0;; at += 2) {
      files_.inject({.kind = kind, .at = at});
      try {
        sort_resumably();
      } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what the test asks for
      }
      const bool has_fired = files_.faults_fired() != 0;
      files_.inject({});
      if (!has_fired) break;
      ASSERT_EQ(sort_resumably(), expected_) << "after operation " << at;
      ASSERT_FALSE(has_directory()) << "after operation " << at;
    }
  }
}

// The blocks before it are checked when they are read.
TEST_F(KeptSorts, RefuseADamagedTable) {
  {
    const auto kept = keep();
    sort(kept.get());
  }
  const auto newest = read_newest_commit(files_, "/job/out.work");
  const CommittedRun run = SortCommit::parse(newest->text, newest->path).runs.back();
  const std::string path = "/job/out.work/" + run.name, whole = files_.get(path);
  for (std::uint64_t at = whole.size() - run.table_bytes; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x02);
    files_.put(path, damaged);
    try {
      sort_resumably();
      FAIL() << "accepted: " << at;
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("--restart"), std::string::npos) << error.what();
    }
  }
  files_.put(path, whole);
  EXPECT_EQ(sort_resumably(), expected_);
}

TEST_F(KeptSorts, MakeNothingIfAllFitsTheMemory) {
  files_.put("/job/a", "b\na\n");
  files_.put("/job/c", "");
  EXPECT_EQ(sort_resumably(), "a\nb\n");
  const auto kept = keep();
  EXPECT_EQ(sort(kept.get()), "a\nb\n");
  EXPECT_FALSE(kept->has_commit());
  EXPECT_FALSE(has_directory());
}

TEST_F(KeptSorts, AreRefusedWhileAnotherOneRuns) {
  const auto kept = keep();
  kept->next_file();
  try {
    keep();
    FAIL() << "no exception";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("another process is working on this output"), std::string::npos);
  }
}

// Both began when there was no directory.
TEST_F(KeptSorts, DoNotTakeWhatAnotherOneLeftMeanwhile) {
  {
    const auto late = keep();
    {
      const auto other = keep();
      sort(other.get());
    }
    EXPECT_THROW(late->next_file(), UsageError);
  }
  EXPECT_EQ(sort_resumably(), expected_);
  EXPECT_EQ(summary_.resumed_bytes, summary_.bytes);
}

TEST_F(KeptSorts, BeginAnewInADirectoryThatIsDiscarded) {
  {
    const auto kept = keep();
    sort(kept.get());
  }
  EXPECT_GT(committed(), 0U);
  const auto anew = keep(InterruptedSort::kDiscard);
  EXPECT_FALSE(anew->has_commit());
  EXPECT_EQ(sort(anew.get()), expected_);
  EXPECT_EQ(summary_.resumed_bytes, 0U);
}

TEST_F(KeptSorts, LeaveAJobOfAnotherKindAlone) {
  {
    const auto job = OwnedDirectory::take(files_, "/job/out.work", JobKind::kResumable);
    files_.put("/job/out.work/spillway-manifest-1", "x");
  }
  EXPECT_THROW(keep(), UsageError);
  EXPECT_NO_THROW(keep(InterruptedSort::kDiscard));
  {
    const auto job = OwnedDirectory::take(files_, "/job/out.work", JobKind::kOrdinary);
    files_.make_directory("/job/out.work/replaced");
    files_.put("/job/out.work/replaced/manifest", "an index that was moved aside");
  }
  EXPECT_THROW(keep(InterruptedSort::kDiscard), UsageError);
  EXPECT_EQ(files_.get("/job/out.work/replaced/manifest"), "an index that was moved aside");
}

}  // namespace
}  // namespace spillway
