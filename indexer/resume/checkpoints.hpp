// The commits of a resumable job in its work directory. A commit is made when the runs of a block, or of a step of the
// merge, are on disk; the files that it replaces are removed after it is on disk itself. So at any moment the newest
// commit names files that are whole.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
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

  // The commit that the job goes on from; number 0: none. Unchanged by later commits.
  const Commit& start() const { return start_; }
  // The sources of start(), opened: call it once, before the functions below. `input` returns the input with a number.
  using OpenRun = std::function<std::unique_ptr<MergeSource>(const CommittedSource&)>;
  MergeSources open_start(const OpenRun& open_run);

  // The runs of the next block, in order. Commits them if they and all before them are kept files (not in memory), and
  // `done` says what they stand for. These functions are thread-safe.
  void add(std::span<const std::unique_ptr<MergeSource>> runs, const std::optional<Ledger>& done);
  // The input is read; later commits include all of it.
  void end_input(const Ledger& done);
  // A step of the merge made `merged` of neighbouring sources. Commits it likewise, and removes the files of the group.
  void replace(std::span<const std::unique_ptr<MergeSource>> group, const MergeSource& merged);

  // Rethrows the exception that is being handled, and tells the user how to go on if there is a commit: by `warn`, or
  // in the words of the error if the job could only fail again.
  [[noreturn]] void rethrow(const std::function<void(const std::string&)>& warn) const;

 private:
  struct Entry {
    const MergeSource* source;
    CommittedSource committed;
  };
  void begin(const JobDescription& job);
  void go_on(const JobDescription& job, const std::string& newest);
  void check_job(const JobDescription& job);
  void remove_unnamed();
  void commit();
  void write(const std::string& name, const std::string& text);
  void remove_replaced();
  std::string how_to_go_on() const;
  static Entry entry_of(const MergeSource& source);

  FileSystem& files_;
  const std::string directory_;
  const std::function<void()> committed_;
  Hash128 job_{};
  Commit start_;
  std::uint64_t input_bytes_ = 0;
  mutable std::mutex mutex_;  // guards all members below
  Commit last_;               // without its sources
  Ledger done_;               // what the entries stand for
  std::vector<Entry> entries_;
  std::vector<std::string> replaced_;  // files to remove after the next commit
  bool failed_ = false;                // a commit may be on disk or not
};

}  // namespace spillway
