#include "indexer/job/work_directory.hpp"

#include "io/base/error.hpp"
#include "io/format/index.hpp"

namespace spillway {

namespace {

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Returns a path of the output that leads through no directory that publish() moves ("out/../out" would). A link at the
// output itself remains a link.
std::string place_of(FileSystem& files, const std::string& output) {
  const std::string path = without_trailing_slashes(output);
  const auto parent = files.status(parent_of(path));
  if (!parent || parent->type != FileType::kDirectory) {
    throw UsageError("the directory " + printable(parent_of(path), 4096) +
                     " does not exist; make it, or choose another -o");
  }
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name == "." || name == "..") return files.resolve(path);
  const std::string resolved = files.resolve(parent_of(path));
  return (resolved == "/" ? "" : resolved) + "/" + name;
}

}  // namespace

bool looks_like_index(FileSystem& files, const std::string& path) {
  const std::string manifest = path + "/" + std::string(kManifestName);
  const auto status = files.status(manifest);
  if (!status || status->type != FileType::kRegular || status->size < kManifestMagic.size()) return false;
  std::uint8_t start[kManifestMagic.size()];
  files.open(manifest)->read_exactly(0, start);
  return std::string_view(reinterpret_cast<const char*>(start), sizeof start) == kManifestMagic;
}

WorkDirectory::WorkDirectory(FileSystem& files, const std::string& output)
    : files_(files), output_(place_of(files, output)), path_(output_ + ".work") {
  refuse_foreign_directory();
  if (!files_.status(path_)) files_.make_directory(path_);
  lock_ = files_.try_lock(path_ + "/LOCK");
  if (lock_ == nullptr) {
    throw UsageError(printable(path_, 4096) +
                     " is locked: another process is building this index; wait for it, or choose "
                     "another -o");
  }
  put_back();
  remove_content();
}

WorkDirectory::~WorkDirectory() {
  if (lock_ == nullptr) return;
  try {
    put_back();
    remove_content();
    files_.remove_tree(path_);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next job with this output removes it
  }
}

// The lock goes last: if the job is killed now, it tells the next job that the directory is ours.
void WorkDirectory::remove_content() {
  for (const std::string& name : files_.list(path_)) {
    if (name != "LOCK") files_.remove_tree(path_ + "/" + name);
  }
}

// Only a directory that is empty or has our lock may be removed.
void WorkDirectory::refuse_foreign_directory() const {
  const auto status = files_.status(path_);
  if (!status && !files_.is_link(path_)) return;
  const bool ours = status && status->type == FileType::kDirectory && !files_.is_link(path_) &&
                    (files_.list(path_).empty() || files_.status(path_ + "/LOCK"));
  if (ours) return;
  throw UsageError(printable(path_, 4096) +
                   " is not a work directory of Spillway, and would have to be removed; move it " +
                   "away, or choose another -o");
}

std::string WorkDirectory::replaced_path() const { return path_ + "/replaced"; }

void WorkDirectory::move_aside() {
  files_.rename(output_, replaced_path());
  files_.sync_directory(path_);
}

// A publish() that stopped between its two renames left the old index in the work directory.
void WorkDirectory::put_back() {
  if (files_.status(replaced_path()) && !files_.status(output_)) files_.rename(replaced_path(), output_);
}

void WorkDirectory::publish() {
  const bool is_there = files_.status(output_).has_value();
  if (!is_there || !files_.exchange(index_path(), output_)) {
    if (is_there) move_aside();
    files_.rename(index_path(), output_);
  }
  files_.sync_directory(parent_of(output_));
}

}  // namespace spillway
