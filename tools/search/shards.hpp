// The indexes that a search names, open and searched as one collection.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/index/reader.hpp"
#include "search/collection.hpp"

namespace spillway {

class Shards {
 public:
  // A path is that of an index, or of a directory that holds indexes: then all its directories are taken, by the byte
  // order of their names, except those whose names begin with a point. Throws UsageError for an index that is named
  // twice and for indexes that cannot be searched as one, and what IndexReader throws. Requires: at least one path.
  Shards(FileSystem& files, const std::vector<std::string>& paths);
  const Collection& collection() const { return *collection_; }

 private:
  std::vector<std::unique_ptr<IndexReader>> readers_;
  std::optional<Collection> collection_;
};

}  // namespace spillway
