#include "indexer/job/work_directory.hpp"

#include "io/base/error.hpp"
#include "io/scratch/job_files.hpp"

namespace spillway {

void put_back_replaced(FileSystem& files, const std::string& output) {
  const std::string place = files.resolve(output);
  if (files.status(place) || !files.status(place + ".work/replaced")) return;
  const WorkDirectory work(files, output, JobKind::kResumable);  // of any kind: it keeps the commits of one to go on
}

WorkDirectory::WorkDirectory(FileSystem& files, const std::string& output, JobKind kind, Interrupted interrupted)
    : files_(files), output_(output_place(files, output)) {
  take(kind, interrupted);
  is_kept_ = !commit_names(files_, path()).empty();
  if (!is_kept_) remove_job_files(files_, path());
}

WorkDirectory::~WorkDirectory() {
  try {
    put_back();
    if (is_kept_) {
      drop_index();
      return;
    }
  } catch (const std::exception&) {  // the old index is still there: the next job puts it back
    return;
  }
  directory_->remove();
}

void WorkDirectory::drop_index() {
  if (!files_.status(index_path())) return;
  remove_job_files(files_, index_path());
  files_.remove(index_path());
}

// The lock file tells the kind of a directory, so one of the other kind is removed and made again.
void WorkDirectory::take(JobKind kind, Interrupted interrupted) {
  const std::string path = output_ + ".work";
  directory_ = OwnedDirectory::take(files_, path, kind);
  put_back();
  const bool is_resumable = !commit_names(files_, path).empty();
  if (directory_->kind() == kind && !(is_resumable && interrupted == Interrupted::kDiscard)) return;
  if (is_resumable && interrupted == Interrupted::kKeep) {
    throw UsageError(printable(path, 4096) +
                     " holds an interrupted job that can go on: give --resumable and the job's other options to go on, "
                     "or --restart to discard it and begin anew");
  }
  directory_->remove();
  directory_ = OwnedDirectory::take(files_, path, kind);
  if (directory_->kind() == kind && commit_names(files_, path).empty()) return;
  throw IoError(printable(path, 4096) + " holds an interrupted job that cannot be removed; remove the directory");
}

void WorkDirectory::move_aside() {
  files_.sync_directory(parent_directory(output_));  // the work directory must not vanish with the index
  files_.rename(output_, replaced_path());
  files_.sync_directory(path());
}

// A publish() that stopped between its two renames left the old index in the work directory.
void WorkDirectory::put_back() {
  if (files_.status(replaced_path()) && !files_.status(output_)) files_.rename(replaced_path(), output_);
}

void WorkDirectory::publish(IfOutputExists if_exists) {
  check_output(files_, output_, if_exists);
  const bool is_there = files_.status(output_).has_value();
  if (!is_there || !files_.exchange(index_path(), output_)) {
    if (is_there) move_aside();
    files_.rename(index_path(), output_);
  }
  files_.sync_directory(parent_directory(output_));
  is_kept_ = false;
}

}  // namespace spillway
