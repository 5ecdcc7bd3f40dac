#include "indexer/job/output.hpp"

#include "indexer/job/work_directory.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

// An index is replaced and removed as a whole, with everything inside it.
void refuse_inside_index(FileSystem& files, const std::string& output) {
  std::string directory = files.resolve(output);
  for (auto slash = directory.rfind('/'); slash != std::string::npos && slash != 0; slash = directory.rfind('/')) {
    directory.resize(slash);
    if (!looks_like_index(files, directory)) continue;
    throw UsageError("the output " + printable(output, 4096) + " is inside the index " + printable(directory, 4096) +
                     "; choose an output outside of it");
  }
}

}  // namespace

void check_output(FileSystem& files, const std::string& output, IfOutputExists if_exists) {
  if (output.empty()) throw UsageError("no output; give -o DIR");
  refuse_inside_index(files, output);
  if (!files.status(output)) return;
  if (if_exists == IfOutputExists::kRefuse) {
    throw UsageError(printable(output, 4096) + " exists; --force replaces an index there");
  }
  if (!looks_like_index(files, output)) {
    throw UsageError(printable(output, 4096) +
                     " exists and is no Spillway index; --force replaces only indexes, so choose another -o");
  }
}

bool is_inside(const std::string& path, const std::string& directory) {
  return path == directory || path.starts_with(directory.ends_with('/') ? directory : directory + "/");
}

}  // namespace spillway
