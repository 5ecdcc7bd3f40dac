#include "indexer/job/work_directory.hpp"

#include "io/base/error.hpp"
#include "io/file/job_files.hpp"
#include "io/format/index.hpp"

namespace spillway {

namespace {

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// Returns a path of the output that leads through no directory that publish() moves ("out/../out" would). A link at the
// output itself remains a link.
std::string place_of(FileSystem& files, const std::string& output) {
  const std::string path = without_trailing_slashes(output);
  const auto parent = files.status(parent_directory(path));
  if (!parent || parent->type != FileType::kDirectory) {
    throw UsageError("the directory " + printable(parent_directory(path), 4096) +
                     " does not exist; make it, or choose another -o");
  }
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name == "." || name == "..") return files.resolve(path);
  const std::string resolved = files.resolve(parent_directory(path));
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
    : files_(files), output_(place_of(files, output)), directory_(OwnedDirectory::take(files, output_ + ".work")) {
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

void WorkDirectory::publish() {
  const bool is_there = files_.status(output_).has_value();
  if (!is_there || !files_.exchange(index_path(), output_)) {
    if (is_there) move_aside();
    files_.rename(index_path(), output_);
  }
  files_.sync_directory(parent_directory(output_));
}

}  // namespace spillway
