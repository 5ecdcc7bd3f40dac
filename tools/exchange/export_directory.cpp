#include "tools/exchange/export_directory.hpp"

#include "indexer/job/output.hpp"
#include "io/base/error.hpp"
#include "io/scratch/job_files.hpp"

namespace spillway {

ExportDirectory::ExportDirectory(FileSystem& files, const std::string& output) : files_(files), output_(output) {
  check();
  place_ = output_place(files, output);
  work_ = OwnedDirectory::take(files, place_ + ".work");
  if (!commit_names(files, work_->path()).empty()) {
    throw UsageError(printable(work_->path(), 4096) +
                     " holds an interrupted job that can go on; finish it, or choose another -o");
  }
  remove_job_files(files, work_->path());
  files.make_directory(path());
}

ExportDirectory::~ExportDirectory() {
  created_.clear();
  work_->remove();
}

void ExportDirectory::check() const {
  if (files_.status(output_) || files_.is_link(output_)) {
    throw UsageError(printable(output_, 4096) + " exists; remove it, or choose another -o");
  }
  check_output(files_, output_, IfOutputExists::kRefuse);
}

std::string ExportDirectory::path() const { return work_->path() + "/" + kExportName; }

WritableFile& ExportDirectory::create(const std::string& name) {
  created_.push_back(files_.create(path() + "/" + name));
  return *created_.back();
}

void ExportDirectory::publish() {
  std::vector<WritableFile*> all;
  for (const auto& file : created_) all.push_back(file.get());
  sync_and_close(all);
  files_.sync_directory(path());
  check();  // again: something may have come to be there meanwhile
  files_.rename(path(), place_);
  files_.sync_directory(parent_directory(place_));
}

}  // namespace spillway
