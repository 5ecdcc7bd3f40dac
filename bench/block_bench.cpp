// Rates of the steps from a block to its run, on one core: unifying terms with each string sorter, sorting the block
// with each sorter, encoding and writing the run. The input is one block.
#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/run_benchmarks.hpp"
#include "bench/stage_input.hpp"
#include "indexer/block/chunk_sorter.hpp"
#include "indexer/block/key_sorter.hpp"
#include "indexer/block/sorter.hpp"
#include "indexer/block/terms.hpp"
#include "io/file/memory_file.hpp"
#include "io/file/posix_file_system.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"
#include "tools/bench/scratch.hpp"

namespace spillway {
namespace {

// The timed part of an iteration may be small, so the time of the whole iteration decides how many are run.
constexpr benchmark::IterationCount kManualIterations = 3;
constexpr std::size_t kBudgetBytes = std::size_t{1} << 40;

struct StageBlock {
  MemoryBudget budget{kBudgetBytes};
  Block block;
  explicit StageBlock(ChunkForm form) { block.chunks = parse_stage_input(form, budget); }
};

StageBlock& stage_block(ChunkForm form) {
  static std::unique_ptr<StageBlock> kept;
  static ChunkForm kept_form;
  if (kept == nullptr || kept_form != form) {
    kept.reset();
    kept = std::make_unique<StageBlock>(form);
    kept_form = form;
  }
  return *kept;
}

void unify(benchmark::State& state, const StringSorter* sorter) {
  StageBlock& input = stage_block(ChunkForm::kPostings);
  std::size_t strings = 0;
  for (auto _ : state) {
    const BlockTerms terms(input.block, *sorter, input.budget);
    strings = terms.size();
  }
  count_input(state);
  state.counters["strings"] = static_cast<double>(strings);
}

// Returns the options for a run that stays in memory.
BlockSortOptions sort_options(ChunkForm form) {
  BlockSortOptions options;
  options.job = stage_content().job();
  options.run_block_bytes = stage_plan(form).run_block_bytes;
  options.check_sum = false;
  return options;
}

// Reports one of the times that a block sorter keeps.
using Figure = double BlockSortStats::*;

void make_run(benchmark::State& state, const BlockSorter* sorter, Figure figure) {
  StageBlock& input = stage_block(sorter->form());
  const BlockSortOptions options = sort_options(sorter->form());
  std::uint64_t run_bytes = 0;
  for (auto _ : state) {
    MemoryFile file(input.budget, "the benchmark's run");
    BlockSortStats stats;
    sorter->write_run(input.block, file, options, input.budget, stats);
    state.SetIterationTime(stats.*figure);
    run_bytes = file.size();
  }
  count_input(state);
  state.counters["run_bytes"] = static_cast<double>(run_bytes);
}

// Writes the bytes of a run to a new file, without a sync, as spilling does.
void spill(benchmark::State& state, const BlockSorter* sorter) {
  StageBlock& input = stage_block(sorter->form());
  MemoryFile run(input.budget, "the benchmark's run");
  BlockSortStats stats;
  const BlockSortOptions options = sort_options(sorter->form());
  sorter->write_run(input.block, run, options, input.budget, stats);
  std::vector<std::uint8_t> bytes(run.size());
  run.read_exactly(0, bytes);
  const BenchScratch scratch(posix_file_system(), ".");
  const std::string path = scratch / "spillway-run";
  for (auto _ : state) {
    const auto file = posix_file_system().create(path);
    for (std::size_t at = 0; at < bytes.size(); at += options.run_block_bytes) {
      file->append(std::span(bytes).subspan(at, std::min(options.run_block_bytes, bytes.size() - at)));
    }
    file->close();
    state.PauseTiming();
    posix_file_system().remove(path);
    state.ResumeTiming();
  }
  count_input(state);
  state.counters["run_bytes"] = static_cast<double>(bytes.size());
}

void add_sorter(const std::string& name, std::unique_ptr<BlockSorter> sorter) {
  static std::vector<std::unique_ptr<BlockSorter>> kSorters;
  kSorters.push_back(std::move(sorter));
  const BlockSorter* used = kSorters.back().get();
  const auto add = [&](const char* stage, Figure figure) {
    benchmark::RegisterBenchmark((stage + name).c_str(), make_run, used, figure)
        ->UseManualTime()
        ->Iterations(kManualIterations);
  };
  add("sort/", &BlockSortStats::sort_seconds);
  add("encode/", &BlockSortStats::encode_seconds);
  add("run_write/", &BlockSortStats::write_seconds);
  if (name == "cpu-chunk") benchmark::RegisterBenchmark("spill", spill, used)->UseRealTime();
}

void add_all() {
  for (const StringSorter* sorter : string_sorters()) {
    benchmark::RegisterBenchmark(("unify/" + std::string(sorter->name())).c_str(), unify, sorter);
  }
  add_sorter("cpu-chunk", make_chunk_block_sorter(auto_string_sorter()));
  for (const RecordSorter* records : record_sorters()) {
    add_sorter(std::string(records->name()), make_key_block_sorter(*records, auto_string_sorter()));
  }
}

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  spillway::add_all();
  return spillway::run_benchmarks(argc, argv);
}
