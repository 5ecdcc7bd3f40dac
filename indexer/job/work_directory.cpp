#include "indexer/job/work_directory.hpp"

#include "io/base/error.hpp"
#include "io/file/job_files.hpp"

namespace spillway {

WorkDirectory::WorkDirectory(FileSystem& files, const std::string& output)
    : files_(files), output_(output_place(files, output)), directory_(OwnedDirectory::take(files, output_ + ".work")) {
  put_back();
  remove_job_files(files_, path());
}

WorkDirectory::~WorkDirectory() {
  try {
    put_back();
  } catch (const std::exception&) {  // the old index is still there: the next job puts it back
    return;
  }
  directory_->remove();
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
}

}  // namespace spillway
