#include "indexer/job/base_index.hpp"

#include "io/base/error.hpp"
#include "io/format/content_difference.hpp"

namespace spillway {

namespace {

void check_same(const IndexSource& index, const ContentOptions& content) {
  std::string words;
  for (const ContentDifference& difference : content_differences(index.options(), content)) {
    words += (words.empty() ? "" : "; ") + difference.option + " is " + difference.first + " in " +
             printable(index.directory(), 4096) + " and " + difference.second + " in this job";
  }
  if (words.empty()) return;
  throw UsageError("documents can be added only to an index of the same options and versions: " + words +
                   ". Append with the release that made the index, or index its documents again");
}

}  // namespace

BaseIndex::BaseIndex(FileSystem& files, const std::string& directory, const ContentOptions& content)
    : source_(std::make_unique<IndexSource>(files, directory)) {
  check_same(*source_, content);
  source_->kept_name = kKeptName;
  counts_ = source_->counts();
  bytes_ = source_->bytes;
  cursor_bytes_ = source_->cursor_bytes();
  open_bytes_ = source_->open_bytes();
}

void BaseIndex::check_memory(const MergeResources& resources) const {
  RunStats stats;
  stats.bytes = {bytes_, 0};
  stats.documents = counts_.source_documents;
  stats.cursor_bytes = cursor_bytes_;
  stats.open_bytes = stats.most_open_bytes = open_bytes_;
  stats.any_file = false;
  plan_run_merge(stats, resources);
}

void BaseIndex::add_dropped(IndexTotals& totals) const {
  totals.source_sum.join(counts_.dropped_sum, 0);
  totals.dropped_sum.join(counts_.dropped_sum, 0);
}

}  // namespace spillway
