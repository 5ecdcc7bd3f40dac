// An index on disk as a source of a merge. It maps only the pages that the cursors of the merge need at a time.
#pragma once

#include <memory>
#include <string>

#include "indexer/run/merge_source.hpp"
#include "io/base/checksum.hpp"
#include "merge/input/index.hpp"

namespace spillway {

class IndexSource final : public MergeSource {
 public:
  // Opens the index once to check it. Throws FormatError or IoError naming the file.
  IndexSource(FileSystem& files, const std::string& directory);

  // Throws IoError if another job has replaced the index since the constructor: what was planned is of the old one.
  const MergeInput& open(unsigned cursors) override;
  void close() override;
  std::size_t cursor_bytes() const override;
  std::size_t open_bytes() const override;
  std::size_t documents_bytes(unsigned cursors) const override { return IndexDocumentCursor::memory_bytes(cursors); }

  const std::string& directory() const { return directory_; }
  const ContentOptions& options() const { return options_; }
  const IndexCounts& counts() const { return counts_; }

 private:
  FileSystem& files_;
  std::string directory_;
  ContentOptions options_;
  IndexCounts counts_;
  Hash128 identity_;
  std::unique_ptr<IndexReader> reader_;
  std::unique_ptr<IndexInput> input_;
};

}  // namespace spillway
