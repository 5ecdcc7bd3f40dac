#include "tools/search/shards.hpp"

#include <set>

#include "io/base/error.hpp"
#include "io/format/index.hpp"

namespace spillway {

namespace {

bool holds_manifest(FileSystem& files, const std::string& directory) {
  return files.status(directory + "/" + std::string(kManifestName)).has_value();
}

bool is_directory(FileSystem& files, const std::string& path) {
  const auto status = files.status(path);
  return status && status->type == FileType::kDirectory;
}

// The path itself, unless it is a directory of indexes.
std::vector<std::string> indexes_at(FileSystem& files, const std::string& path) {
  if (!is_directory(files, path) || holds_manifest(files, path)) return {path};
  std::vector<std::string> found;
  bool has_index = false;
  for (const std::string& name : files.list(path)) {
    std::string inside = path + "/" + name;
    if (name.starts_with('.') || !is_directory(files, inside)) continue;
    has_index = has_index || holds_manifest(files, inside);
    found.push_back(std::move(inside));
  }
  return has_index ? found : std::vector<std::string>{path};
}

}  // namespace

Shards::Shards(FileSystem& files, const std::vector<std::string>& paths) {
  std::set<std::string> known;
  std::vector<const IndexReader*> shards;
  for (const std::string& path : paths) {
    for (const std::string& directory : indexes_at(files, path)) {
      if (!known.insert(files.resolve(directory)).second) {
        throw UsageError("the index " + printable(directory, 4096) +
                         " is named twice, and its documents would be found twice; name it once");
      }
      readers_.push_back(std::make_unique<IndexReader>(files, directory));
      shards.push_back(readers_.back().get());
    }
  }
  collection_.emplace(std::move(shards));
}

}  // namespace spillway
