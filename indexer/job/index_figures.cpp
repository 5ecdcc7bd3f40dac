#include "indexer/job/index_figures.hpp"

#include <algorithm>

namespace spillway {

void add_counts(const IngestStats& ingest, const MergeStats& merge, IndexReport& report) {
  report.chunks = ingest.chunks;
  report.pinned_chunks = ingest.pinned_chunks;
  report.blocks = ingest.block.blocks;
  report.compacted_runs = ingest.block.compaction.compacted_runs;
  report.compactions = ingest.block.compaction.compactions;
  report.gpu_blocks = ingest.block.gpu_blocks;
  report.cpu_blocks = ingest.block.cpu_blocks;
  report.merge_passes = merge.passes;
  report.gpu_postings = merge.gpu_postings;
  report.postings = merge.postings;
  report.occurrences = merge.occurrences;
  report.replaced_documents = merge.replaced_documents;
  report.index_documents = merge.documents;
}

void add_stages(const IngestStats& ingest, const MergeStats& merge, const JobSeconds& seconds, IndexReport& report) {
  const std::uint64_t bytes = report.input_bytes;
  const BlockSortStats& sort = ingest.block.sort;
  const CompactionStats& compaction = ingest.block.compaction;
  const double document_seconds = merge.id_seconds + merge.document_seconds;
  report.stages = {{"revisits", seconds.revisits, seconds.revisits, bytes},
                   {"parse", ingest.parse_seconds, ingest.wall_seconds, bytes},
                   {"transfer up", sort.upload_seconds, sort.upload_seconds, sort.upload_bytes},
                   {"sort", sort.sort_seconds, sort.sort_seconds, bytes},
                   {"encode", sort.encode_seconds, ingest.wall_seconds, bytes},
                   {"transfer down", sort.download_seconds, sort.download_seconds, sort.download_bytes},
                   {"spill", sort.write_seconds, sort.write_seconds, report.spilled_bytes},
                   {"compact runs", compaction.seconds, compaction.seconds, compaction.written_bytes},
                   {"merge passes", merge.pass_seconds, merge.pass_seconds, merge.rewritten_bytes},
                   {"ids and documents", document_seconds, document_seconds, bytes},
                   {"merge", merge.list_busy_seconds, merge.list_seconds, bytes},
                   {"write", seconds.finish, seconds.finish, report.index_bytes}};
  if (seconds.revisits == 0) report.stages.erase(report.stages.begin());
  if (compaction.compactions == 0) {
    std::erase_if(report.stages, [](const StageStats& stage) { return stage.name == "compact runs"; });
  }
  if (sort.upload_bytes == 0) {
    std::erase_if(report.stages, [](const StageStats& stage) { return stage.name.starts_with("transfer"); });
  }
  const auto slowest =
      std::max_element(report.stages.begin(), report.stages.end(),
                       [](const StageStats& a, const StageStats& b) { return a.busy_seconds < b.busy_seconds; });
  report.bottleneck = slowest->name;
}

}  // namespace spillway
