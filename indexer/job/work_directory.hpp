// OUT.work/: the directory in which a job builds its index before one rename (or exchange) publishes it. The next job
// with this output puts back and removes what a killed job left.
#pragma once

#include <memory>
#include <string>

#include "indexer/job/output.hpp"
#include "io/file/file_system.hpp"
#include "io/scratch/owned_directory.hpp"

namespace spillway {

// What to do with a resumable job that was interrupted.
enum class Interrupted {
  kKeep,     // a resumable job goes on with it, and an ordinary one refuses to begin
  kDiscard,  // begin anew
};

// Puts an index back that a publish() for `output`, interrupted between two renames, had moved aside; a job that reads
// the index at its output calls it first. Does nothing if there is none. Throws as WorkDirectory does.
void put_back_replaced(FileSystem& files, const std::string& output);

class WorkDirectory {
 public:
  // Makes and locks `output`.work; puts back an index that an interrupted publish() moved there. Throws UsageError if
  // another process has it, something in it was not made by a job, it holds an interrupted job that is not to be
  // discarded and this job is not resumable, or the output's parent does not exist.
  WorkDirectory(FileSystem& files, const std::string& output, JobKind kind = JobKind::kOrdinary,
                Interrupted interrupted = Interrupted::kKeep);
  // Removes the directory with all that the job made in it; but if keep() was called after the last publish(), only the
  // unfinished index.
  ~WorkDirectory();
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;

  const std::string& path() const { return directory_->path(); }
  std::string index_path() const { return path() + "/index"; }
  // Removes the index that was begun, if there is one.
  void drop_index();
  // The directory holds a commit, from which another job can go on.
  void keep() { is_kept_ = true; }
  // Renames the finished index to `output`; if a link is there, to the path that it names. Throws UsageError if
  // something is there by now that check_output() refuses. An index that is replaced is exchanged for the new one in
  // one step if the file system can do so; otherwise it is moved aside first, and the destructor puts it back if
  // publish() failed. The destructor removes the old index.
  void publish(IfOutputExists if_exists);

 private:
  std::string replaced_path() const { return path() + "/replaced"; }
  void take(JobKind kind, Interrupted interrupted);
  void move_aside();
  void put_back();
  FileSystem& files_;
  std::string output_;
  std::unique_ptr<OwnedDirectory> directory_;
  bool is_kept_ = false;
};

}  // namespace spillway
