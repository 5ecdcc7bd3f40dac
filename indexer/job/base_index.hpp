// The index that a job appends to: the first source of its last merge.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "indexer/plan/run_merge.hpp"
#include "indexer/run/index_source.hpp"
#include "io/index/writer.hpp"

namespace spillway {

class BaseIndex {
 public:
  static constexpr const char* kKeptName = "input-0";  // in the commits of a resumable job

  // Opens the index. Requires: the job holds the work directory beside it, so that no other job replaces it meanwhile.
  // Throws UsageError, which names the options and versions in which `content` differs; FormatError or IoError for an
  // index that is damaged, or not there.
  BaseIndex(FileSystem& files, const std::string& directory, const ContentOptions& content);

  const IndexCounts& counts() const { return counts_; }
  std::uint64_t bytes() const { return bytes_; }
  // Throws BudgetError, which names the memory needed, if `resources` do not suffice to merge the index with one run.
  void check_memory(const MergeResources& resources) const;
  // The index as the first source of a merge. Call it once.
  std::unique_ptr<MergeSource> take_source() { return std::move(source_); }
  // Adds to the totals of a merge the documents that the index has dropped already: no list has them.
  void add_dropped(IndexTotals& totals) const;

 private:
  std::unique_ptr<IndexSource> source_;
  IndexCounts counts_;
  std::uint64_t bytes_ = 0;
  std::size_t cursor_bytes_ = 0, open_bytes_ = 0;
};

}  // namespace spillway
