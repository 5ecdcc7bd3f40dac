#include "indexer/job/output.hpp"

#include <vector>

#include "io/base/error.hpp"
#include "io/format/index.hpp"
#include "io/index/manifest.hpp"
#include "io/scratch/job_files.hpp"

namespace spillway {

namespace {

std::string manifest_of(const std::string& index) { return index + "/" + std::string(kManifestName); }

// An index is replaced and removed as a whole, with everything inside it.
void refuse_inside_index(FileSystem& files, const std::string& output, const std::string& place) {
  std::string directory = place;
  for (auto slash = directory.rfind('/'); slash != std::string::npos && slash != 0; slash = directory.rfind('/')) {
    directory.resize(slash);
    if (!looks_like_index(files, directory)) continue;
    throw UsageError("the output " + printable(output, 4096) + " is inside the index " + printable(directory, 4096) +
                     "; choose an output outside of it");
  }
}

// Renaming these fails, or takes the directory away from under a shell.
void refuse_unmovable(FileSystem& files, const std::string& output, const std::string& place) {
  const std::string name = printable(output, 4096);
  if (files.is_mount_point(place)) {
    throw UsageError(name + " is a mount point, which cannot be replaced; choose a directory in it as -o");
  }
  if (is_inside(files.resolve("."), place)) {
    throw UsageError(name + " is the working directory, or holds it; change to another one, or choose another -o");
  }
}

void refuse_unproven(FileSystem& files, const std::string& output, const std::string& place) {
  const std::string name = printable(output, 4096);
  if (!looks_like_index(files, place)) {
    throw UsageError(name + " exists and is no Spillway index; --force replaces only indexes, so choose another -o");
  }
  if (!Manifest::is_whole(read_file(files, manifest_of(place)))) {
    throw UsageError(name +
                     " has a damaged manifest, so that it does not prove to be an index; --force replaces only " +
                     "indexes: choose another -o, or remove it");
  }
  const std::vector<std::string> others = files_of_no_index(files, place);
  if (others.empty()) return;
  throw UsageError(name + " holds files that are not of an index: " + first_names(others) +
                   "; --force replaces only indexes: move them away, or choose another -o");
}

}  // namespace

bool looks_like_index(FileSystem& files, const std::string& path) {
  const std::string manifest = manifest_of(path);
  const auto status = files.status(manifest);
  if (!status || status->type != FileType::kRegular || status->size < kManifestMagic.size()) return false;
  std::uint8_t start[kManifestMagic.size()];
  files.open(manifest)->read_exactly(0, start);
  return std::string_view(reinterpret_cast<const char*>(start), sizeof start) == kManifestMagic;
}

std::string output_place(FileSystem& files, const std::string& output) {
  std::string place = files.resolve(output);
  const std::string parent = parent_directory(place);
  const auto status = files.status(parent);
  if (status && status->type == FileType::kDirectory) return place;
  throw UsageError("the directory " + printable(parent, 4096) + " does not exist; make it, or choose another -o");
}

void check_output(FileSystem& files, const std::string& output, IfOutputExists if_exists) {
  if (output.empty()) throw UsageError("no output; give -o DIR");
  const std::string place = files.resolve(output);
  refuse_inside_index(files, output, place);
  if (!files.status(place)) return;
  if (if_exists == IfOutputExists::kRefuse) {
    throw UsageError(printable(output, 4096) + " exists; --force replaces an index there");
  }
  refuse_unproven(files, output, place);
  refuse_unmovable(files, output, place);
}

bool is_inside(const std::string& path, const std::string& directory) {
  return path == directory || path.starts_with(directory.ends_with('/') ? directory : directory + "/");
}

}  // namespace spillway
