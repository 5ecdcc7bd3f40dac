// The work directory OUT.work of a sort that can go on after an interruption. A commit is made when a run is on disk;
// the files that it replaces are removed after it is on disk itself. So at any moment the newest commit names files
// that are whole.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/scratch/owned_directory.hpp"
#include "sort/lines/resume/commit.hpp"
#include "sort/lines/resume/description.hpp"
#include "sort/lines/resume/kept_file.hpp"
#include "sort/lines/runs/run.hpp"

namespace spillway {

// Tells what to do with a sort that was interrupted.
enum class InterruptedSort { kGoOn, kDiscard };

// Not thread-safe, but for reads of its files.
class KeptRuns final : public RunKeeper {
 public:
  // Takes the directory if it is there, with what an interrupted sort left in it, and removes the files that its newest
  // commit does not name; otherwise the first run makes it. Throws UsageError if another process or a job of another
  // kind has it, or the interrupted sort differs from `sort` (says how); FormatError if its small files are damaged.
  KeptRuns(FileSystem& files, std::string directory, SortDescription sort, InterruptedSort interrupted);
  // Removes the directory if nothing was committed, or after remove().
  ~KeptRuns() override;
  KeptRuns(const KeptRuns&) = delete;
  KeptRuns& operator=(const KeptRuns&) = delete;

  std::vector<Run> open_runs() override;
  InputDone done() const override { return last_.done; }
  ScratchFile& next_file() override;
  void add(Run& run, const InputDone& done, RunSpace& space) override;
  void replace(std::span<const Run> group, Run& merged, RunSpace& space) override;

  bool has_commit() const { return last_.number != 0; }
  // The output is on disk: nothing needs to be kept.
  void remove() { is_kept_ = false; }
  // For messages. Requires: has_commit().
  std::string what_is_kept() const;

 private:
  struct Entry {
    CommittedRun committed;
    std::unique_ptr<KeptFile> file;
  };
  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  void take(InterruptedSort interrupted);
  void read_commit(const std::string& name);
  void check_sort() const;
  void remove_unnamed();
  void make_directory();
  void drop_unfinished() noexcept;
  Entry seal(Run& run, RunSpace& space);
  void commit(SortCommit next);

  FileSystem& files_;
  const std::string directory_;
  const SortDescription sort_;
  const Hash128 job_;
  std::unique_ptr<OwnedDirectory> owned_;
  SortCommit last_;  // the newest one, without its runs
  std::vector<Entry> entries_;
  std::unique_ptr<KeptFile> unfinished_;
  std::uint64_t next_number_ = 0;  // of a run
  bool is_kept_ = false;
};

}  // namespace spillway
