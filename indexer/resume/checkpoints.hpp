// The commits of a resumable job in its work directory. A commit is made when the runs of a block, or of a step of the
// merge, are on disk; the files that it replaces are removed after it is on disk itself. So at any moment the newest
// commit names files that are whole.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "indexer/resume/commit.hpp"
#include "indexer/resume/description.hpp"
#include "indexer/run/merge_source.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

class Checkpoints {
 public:
  // Reads the newest commit in the directory, which the job owns, and removes the files that it does not name; without
  // a commit begins anew. Calls committed() after each commit, and if there is one already. Throws UsageError if the
  // commit is of a job that differs from `job` (says how), FormatError if it is damaged.
  Checkpoints(FileSystem& files, std::string directory, const JobDescription& job, std::function<void()> committed);

  ~Checkpoints() { stop(); }
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // The commit that the job goes on from; number 0: none. Unchanged by later commits.
  const Commit& start() const { return start_; }
  // The sources of start(), opened: call it once, before the functions below. `input` returns the input with a number.
  using OpenRun = std::function<std::unique_ptr<MergeSource>(const CommittedSource&)>;
  MergeSources open_start(const OpenRun& open_run);

  // From now on add() leaves syncs and commits to a thread. Disks take longer to sync a block than it takes to sort it.
  void commit_in_background();
  // The runs of the next block, in order; by one thread at a time. Syncs them, and commits them if they and all before
  // them are kept files (not in memory) and `done` says what they stand for. In the background it waits while
  // kMostWaiting blocks do, and throws the error of an earlier one.
  void add(std::span<const std::unique_ptr<MergeSource>> runs, const std::optional<Ledger>& done);
  // Waits until all is committed. Throws the error of a commit in the background.
  void flush();
  // The input is read; later commits include all of it.
  void end_input(const Ledger& done);
  // A step of the merge made `merged` of neighbouring sources. Commits it at once, and removes the files of the group.
  // Requires: flush() was called after the last add(). Thread-safe.
  void replace(std::span<const std::unique_ptr<MergeSource>> group, const MergeSource& merged);

  // Rethrows the exception that is being handled, and tells the user how to go on if there is a commit: by `warn`, or
  // in the words of the error if the job could only fail again.
  // What is sorted is committed first. Requires: a catch handler.
  [[noreturn]] void rethrow(const std::function<void(const std::string&)>& warn);

 private:
  static constexpr std::size_t kMostWaiting = 2;
  struct Entry {
    const MergeSource* source;
    CommittedSource committed;
  };
  // The runs of a block.
  struct Batch {
    std::vector<Entry> entries;
    std::vector<std::shared_ptr<WritableFile>> files;
    std::optional<Ledger> done;
  };
  static Batch batch_of(std::span<const std::unique_ptr<MergeSource>> runs);
  void take(std::deque<Batch> batches);
  void work();
  void stop();
  void begin(const JobDescription& job);
  void go_on(const JobDescription& job, const std::string& newest);
  void check_job(const JobDescription& job);
  void remove_unnamed();
  void commit();
  void remove_replaced();
  std::string how_to_go_on() const;
  static Entry entry_of(const MergeSource& source);

  FileSystem& files_;
  const std::string directory_;
  const std::function<void()> committed_;
  Hash128 job_{};
  Commit start_;
  std::uint64_t input_bytes_ = 0;
  std::mutex mutex_;  // guards the members up to the next mutex
  Commit last_;       // without its sources
  Ledger done_;       // what the entries stand for
  std::vector<Entry> entries_;
  std::size_t done_entries_ = 0;       // the first of them, for which done_ speaks
  std::vector<std::string> replaced_;  // files to remove after the next commit
  bool failed_ = false;                // a commit may be on disk or not
  std::mutex queue_mutex_;             // guards all members below; never locked after mutex_
  std::condition_variable changed_;
  std::deque<Batch> waiting_;
  bool is_busy_ = false, stopping_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace spillway
