// Rates of the steps from runs to the index, on one core: a merge pass, and the steps of the final merge (ids,
// documents, lists, finishing the index with its fsyncs). The input is eight runs in memory.
#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/run_benchmarks.hpp"
#include "bench/stage_input.hpp"
#include "indexer/block/chunk_sorter.hpp"
#include "indexer/block/sorter.hpp"
#include "indexer/job/duplicates/duplicate_ids.hpp"
#include "io/base/stopwatch.hpp"
#include "io/file/memory_file.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/index/writer.hpp"
#include "io/scratch/job_files.hpp"
#include "merge/index/merge.hpp"
#include "merge/input/run.hpp"
#include "merge/input/source_layout.hpp"
#include "merge/run/merge.hpp"
#include "sort/sort_plan.hpp"
#include "tools/bench/scratch.hpp"

namespace spillway {
namespace {

// The timed part of an iteration may be small, so the time of the whole iteration decides how many are run.
constexpr benchmark::IterationCount kManualIterations = 3;
constexpr std::size_t kRuns = 8;
constexpr std::size_t kIdSortBytes = std::size_t{256} << 20;

// The stage input as sorted runs, held in memory.
class StageRuns {
 public:
  StageRuns() {
    const auto sorter = make_chunk_block_sorter(auto_string_sorter());
    std::vector<ParsedChunk> chunks = parse_stage_input(sorter->form(), budget);
    const std::size_t in_run = (chunks.size() + kRuns - 1) / kRuns;
    for (std::size_t first = 0; first < chunks.size(); first += in_run) {
      Block block;
      block.number = files_.size();
      const std::size_t last = std::min(first + in_run, chunks.size());
      for (std::size_t c = first; c < last; ++c) block.chunks.push_back(std::move(chunks[c]));
      add(block, *sorter);
    }
    for (const auto& input : inputs_) views_.push_back(input.get());
  }

  MemoryBudget budget{std::size_t{1} << 40};
  std::span<const MergeInput* const> inputs() const { return views_; }

 private:
  void add(const Block& block, const BlockSorter& sorter) {
    BlockSortOptions options;
    options.job = stage_content().job();
    options.run_block_bytes = stage_plan(sorter.form()).run_block_bytes;
    BlockSortStats stats;
    files_.push_back(std::make_unique<MemoryFile>(budget, "run " + std::to_string(block.number)));
    sorter.write_run(block, *files_.back(), options, budget, stats);
    readers_.push_back(std::make_unique<RunReader>(*files_.back()));
    inputs_.push_back(std::make_unique<RunInput>(*readers_.back()));
  }

  std::vector<std::unique_ptr<MemoryFile>> files_;
  std::vector<std::unique_ptr<RunReader>> readers_;
  std::vector<std::unique_ptr<RunInput>> inputs_;
  std::vector<const MergeInput*> views_;
};

StageRuns& stage_runs() {
  static StageRuns kRunSet;
  return kRunSet;
}

struct MergeSeconds {
  double ids = 0, documents = 0, lists = 0, finish = 0;
};

MergeSeconds merge_once(StageRuns& runs, TempSpace& temp, const std::string& index) {
  MergeSeconds seconds;
  IndexWriter writer(posix_file_system(), index, stage_content());
  const Stopwatch ids_watch;
  LengthCodes lengths(runs.budget, lay_out_source(runs.inputs()).document_count);
  IdTable ids(runs.inputs(), stage_content().duplicate_ids, {runs.budget, temp, auto_string_sorter(), kIdSortBytes},
              lengths);
  ids.write_order(writer);
  seconds.ids = ids_watch.seconds();
  const Stopwatch document_watch;
  merge_documents(runs.inputs(), ids.dropped(), writer, runs.budget);
  seconds.documents = document_watch.seconds();
  const Stopwatch list_watch;
  const IndexMergeResult result = merge_lists(runs.inputs(), ids.dropped(), lengths.span(), writer, {});
  seconds.lists = list_watch.seconds();
  if (result.occurrence_count != stage_token_count()) throw std::runtime_error("the merge lost tokens");
  const Stopwatch finish_watch;
  writer.finish({lay_out_source(runs.inputs()).document_count, lay_out_source(runs.inputs()).sum, result.dropped_sum});
  seconds.finish = finish_watch.seconds();
  return seconds;
}

void last_pass(benchmark::State& state, double MergeSeconds::*step) {
  StageRuns& runs = stage_runs();
  const BenchScratch scratch(posix_file_system(), ".");
  const std::string index = scratch / "index";
  TempSpace temp(posix_file_system(), {}, scratch.path(), 0);
  for (auto _ : state) {
    state.SetIterationTime(merge_once(runs, temp, index).*step);
    remove_job_files(posix_file_system(), index);
    posix_file_system().remove(index);
  }
  count_input(state);
}

// Merges runs into one larger run in memory.
void merge_pass(benchmark::State& state) {
  StageRuns& runs = stage_runs();
  for (auto _ : state) {
    MemoryFile merged(runs.budget, "the merged run");
    merge_runs(runs.inputs(), merged, {});
  }
  count_input(state);
}

BENCHMARK(merge_pass)->Name("merge/pass");
BENCHMARK_CAPTURE(last_pass, ids, &MergeSeconds::ids)
    ->Name("merge/ids")
    ->UseManualTime()
    ->Iterations(kManualIterations);
BENCHMARK_CAPTURE(last_pass, documents, &MergeSeconds::documents)
    ->Name("merge/documents")
    ->UseManualTime()
    ->Iterations(kManualIterations);
BENCHMARK_CAPTURE(last_pass, lists, &MergeSeconds::lists)
    ->Name("merge/lists")
    ->UseManualTime()
    ->Iterations(kManualIterations);
BENCHMARK_CAPTURE(last_pass, finish, &MergeSeconds::finish)
    ->Name("index_write")
    ->UseManualTime()
    ->Iterations(kManualIterations);

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  return spillway::run_benchmarks(argc, argv);
}
