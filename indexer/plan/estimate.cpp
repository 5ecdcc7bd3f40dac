#include "indexer/plan/estimate.hpp"

#include <algorithm>

#include "indexer/plan/run_merge.hpp"
#include "indexer/run/compactor.hpp"
#include "indexer/run/store.hpp"
#include "io/base/error.hpp"
#include "io/index/writer.hpp"
#include "io/run/term_block_builder.hpp"

namespace spillway {

namespace {

// Measured with 64 and 256 MiB on RFCs as JSONL (0.5 GB), RFCs as lines, and package descriptions (0.25 GB). Input
// bytes per block byte: 2.5, 1.3, 0.7; run bytes per input byte: 0.05, 0.26, 0.35; index bytes: 0.03, 0.33, 0.20.
constexpr double kInputPerBlockByte = 1.3;
// A block of tokens holds the packed tokens, their documents, and runs of positions: 1.2 to 1.35 input bytes per block
// byte, and 0.9 where parsers cannot pack.
constexpr double kInputPerTokenByte = 1.15, kInputPerPositionedTokenByte = 1.1;
constexpr double kRunBytesPerInput = 0.25;
constexpr double kIndexBytesPerInput = 0.25;
constexpr std::uint64_t kInputPerDocument = 1000;
constexpr std::uint64_t kLeastShare = 300;  // of the input: a tenth of 0.03

std::uint64_t share_of(std::uint64_t bytes, double share) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * share);
}

void estimate_merge(JobEstimate& estimate, const IndexPlan& plan, const ContentOptions& content,
                    std::size_t memory_bytes, unsigned threads) {
  const std::uint64_t run_bytes = share_of(estimate.text_bytes, kRunBytesPerInput) / estimate.blocks;
  std::uint64_t in_memory =
      std::min(run_bytes == 0 ? estimate.blocks : plan.run_memory_bytes / run_bytes, estimate.blocks);
  if (estimate.blocks == 1) in_memory = 1;
  estimate.runs_spilled = estimate.blocks - in_memory;
  estimate.spilled_bytes = estimate.runs_spilled * run_bytes;
  if (plan.compaction_bytes != 0 && estimate.blocks >= kMostWaitingRuns) {
    estimate.compactions = (estimate.blocks - kMostWaitingRuns) / kMostCompactedRuns + 1;
  }
  estimate.least_spilled_bytes = estimate.runs_spilled == 0 ? 0 : estimate.text_bytes / kLeastShare;
  const std::size_t largest_block = TermBlockBuilder::max_block_bytes(plan.run_block_bytes, content.max_term_bytes);
  RunStats runs;
  runs.bytes.assign(estimate.compactions, kMostCompactedRuns * run_bytes);
  runs.bytes.resize(estimate.compactions + estimate.blocks - estimate.compactions * kMostCompactedRuns, run_bytes);
  runs.documents = estimate.text_bytes / kInputPerDocument;
  runs.cursor_bytes = StoredRun::cursor_bytes(largest_block);
  for (const std::uint64_t bytes : runs.bytes) runs.open_bytes += StoredRun::open_bytes(bytes, largest_block);
  runs.most_open_bytes = StoredRun::open_bytes(estimate.blocks * run_bytes, largest_block);
  runs.any_file = estimate.runs_spilled != 0;
  MergeResources resources;
  resources.budget_bytes = memory_bytes;
  const std::size_t held =
      plan.reserve_bytes + IndexWriter::memory_bytes() + static_cast<std::size_t>(in_memory * run_bytes);
  resources.free_bytes = memory_bytes > held ? memory_bytes - held : 0;
  resources.run_block_bytes = plan.run_block_bytes;
  resources.max_term_bytes = content.max_term_bytes;
  resources.store = content.store;
  resources.has_positions = content.positions;
  resources.threads = threads;
  resources.descriptors = run_descriptors();
  // An estimate refuses nothing.
  try {
    estimate.merge = plan_run_merge(runs, resources);
    estimate.spilled_bytes += estimate.merge.rewritten_bytes;
  } catch (const BudgetError& error) {
    estimate.merge_refusal = error.what();
  }
}

std::uint64_t text_bytes_of(const CorpusPlan& corpus) {
  return corpus.total_bytes + (kUnpackFactor - 1) * (corpus.gzip_bytes + corpus.zstd_bytes);
}

}  // namespace

std::uint64_t expected_text_bytes(const CorpusPlan& corpus) { return corpus.streams != 0 ? 0 : text_bytes_of(corpus); }

JobEstimate estimate_job(const CorpusPlan& corpus, const IndexPlan& plan, const ContentOptions& content,
                         std::size_t memory_bytes, unsigned threads) {
  JobEstimate estimate;
  estimate.is_known = corpus.streams == 0;
  estimate.has_packed_input = corpus.packed_files != 0;
  estimate.stored_bytes = corpus.total_bytes;
  estimate.text_bytes = text_bytes_of(corpus);
  const double per_byte = plan.form != ChunkForm::kTokens ? kInputPerBlockByte
                          : content.positions             ? kInputPerPositionedTokenByte
                                                          : kInputPerTokenByte;
  const double block_input = static_cast<double>(plan.assembler.block_bytes) * per_byte;
  estimate.blocks =
      static_cast<std::uint64_t>(static_cast<double>(estimate.text_bytes) / std::max(1.0, block_input)) + 1;
  estimate.blocks = std::min<std::uint64_t>(estimate.blocks, 100'000);  // bounds the time of planning
  estimate.index_bytes = share_of(estimate.text_bytes, kIndexBytesPerInput);
  estimate.least_index_bytes = estimate.text_bytes / kLeastShare / (estimate.has_packed_input ? kUnpackFactor : 1);
  estimate_merge(estimate, plan, content, memory_bytes, threads);
  return estimate;
}

void check_run_files(const JobEstimate& estimate, std::size_t run_files,
                     const std::function<void(const std::string&)>& warn) {
  if (run_files >= kLeastOpenFiles || (estimate.is_known && estimate.runs_spilled == 0)) return;
  const std::string what =
      "merging spilled runs takes " + std::to_string(kLeastOpenFiles) + " open files besides those of the job, and " +
      std::to_string(run_files) +
      " are left: raise the limit (ulimit -n 1024), or give more --memory so that no run is spilled";
  if (estimate.least_spilled_bytes != 0) throw BudgetError(what);
  warn(what);
}

std::string JobEstimate::describe() const {
  if (!is_known) {
    return "estimate: none; the input is a stream, so runs and passes are decided as it arrives\n";
  }
  std::string basis = "from sizes alone, as texts differ it may be off by a factor of 2";
  if (has_packed_input) {
    basis += "; compressed files count as " + std::to_string(kUnpackFactor) + " times their size";
  }
  return "estimate (" + basis + "):\n  text: about " + std::to_string(text_bytes) + " bytes\n  runs: about " +
         std::to_string(blocks) + ", " + std::to_string(runs_spilled) + " of them spilled" +
         (compactions == 0 ? ""
                           : "; " + std::to_string(compactions * kMostCompactedRuns) + " of them compacted to " +
                                 std::to_string(compactions) + " while parsing") +
         "\n  merge: " + (merge_refusal.empty() ? merge.describe() : "may be refused: " + merge_refusal) +
         "\n  disk: about " + std::to_string(spilled_bytes) + " bytes of runs, about " + std::to_string(index_bytes) +
         " bytes of index\n";
}

}  // namespace spillway
