// A fixture: whole jobs whose lanes run on the host instead of a GPU, in both forms of chunks.
#pragma once

#include <zstd.h>

#include <atomic>
#include <optional>
#include <vector>

#include "indexer/block/key_sorter.hpp"
#include "indexer/block/splitter.hpp"
#include "indexer/chunk/pinned_slot_pool.hpp"
#include "indexer/ingest/ingest.hpp"
#include "indexer/job/final_merge.hpp"
#include "io/file/posix_file_system.hpp"
#include "io/run/term_block_builder.hpp"
#include "sort/gpu/device/faults.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"
#include "tests/end_to_end/same_bytes.hpp"
#include "tests/support/host_gpu/host_lanes.hpp"
#include "text/analysis/term_filter.hpp"
#include "text/unicode/words.hpp"

namespace spillway::testing {

struct HostGpuCase {
  ChunkForm form;
  bool positions;
  bool pinned_slots;  // kTokens: chunks are in them
};

// Settings that change a job but not its index.
struct HostGpuSetting {
  std::uint64_t block_bytes = 0;
  std::size_t memory_bytes = std::size_t{256} << 20;
  std::size_t arena_bytes = std::size_t{24} << 20;
  unsigned lanes = 2, arenas = 2, threads = 2;
  std::size_t run_memory_bytes = 0, compaction_bytes = 0;  // 0: as planned
  std::uint64_t failing_call = 0;
  GpuFault fault = GpuFault::kMemory;
  DamageUpload damage;  // kTokens
  // For cases with pinned slots: their memory, besides memory_bytes, and the most slots that the job gets.
  std::size_t pinned_bytes = std::size_t{24} << 20, slots = ~std::size_t{0};
};

// The pinned slots of a job. Checks at the end that the job gave all of them back, even if it failed.
class JobPinnedSlots {
 public:
  JobPinnedSlots(const HostGpuSetting& setting, std::size_t slot_bytes, MemoryBudget& budget)
      : slots_(budget, setting.pinned_bytes, slot_bytes) {
    while (slots_.slot_count() - kept_.size() > setting.slots) kept_.push_back(slots_.take());
  }
  JobPinnedSlots(const JobPinnedSlots&) = delete;
  JobPinnedSlots& operator=(const JobPinnedSlots&) = delete;
  ~JobPinnedSlots() {
    for (PinnedSlotPool::Slot slot = slots_.take(); !slot.empty(); slot = slots_.take()) {
      kept_.push_back(std::move(slot));
    }
    EXPECT_EQ(kept_.size(), slots_.slot_count()) << "a slot was not given back";
  }
  PinnedSlotPool& get() { return slots_; }

 private:
  PinnedSlotPool slots_;
  std::vector<PinnedSlotPool::Slot> kept_;
};

class HostGpuJob : public SameBytes, public ::testing::WithParamInterface<HostGpuCase> {
 protected:
  HostGpuJob() { content_options_.positions = GetParam().positions; }
  void TearDown() override { fail_gpu_call(0); }

  // Indexes as run_index() does, with lanes on the host, and expects the index of the job on the CPU.
  BlockStats expect_same_with(const HostGpuSetting& setting) {
    const std::string output = scratch_ / "index";
    const BlockStats stats = index(setting, output);
    EXPECT_TRUE(same_index(expected_, output));
    EXPECT_EQ(stats.gpu_blocks + stats.cpu_blocks, blocks_of(stats));
    EXPECT_EQ(pinned_chunks_ > 0, GetParam().pinned_slots);
    EXPECT_LE(pinned_chunks_, chunks_);
    std::filesystem::remove_all(output);
    return stats;
  }
  // Runs a job that fails: throws its error. There is no index then.
  void run(const HostGpuSetting& setting) { index(setting, scratch_ / "index"); }

  std::uint64_t spilled_bytes_ = 0, chunks_ = 0, pinned_chunks_ = 0;  // counted by the last job
  std::atomic<int> signal_number_{0};                                 // for the next job

 private:
  // Returns how many blocks the job sorted. A block that the CPU sorts may become several runs.
  static std::uint64_t blocks_of(const BlockStats& stats) {
    return stats.cpu_blocks == 0 ? stats.blocks : stats.gpu_blocks + stats.cpu_blocks;
  }

  ContentOptions content() const {
    ContentOptions content = content_options_;
    if (content.tokenizer == Tokenizer::kUnicode) content.icu_version = UnicodeWords::icu_version();
    content.stemmer_version = TermFilter::stemmer_version(content.stemmer);
    content.zstd_version = ZSTD_versionString();
    return content;
  }

  IndexPlan plan(const HostGpuSetting& setting, const CorpusPlan& corpus) const {
    IndexPlanInput input;
    input.memory_bytes = setting.memory_bytes - setting.arenas * setting.arena_bytes;
    input.threads = setting.threads;
    input.mode = IndexMode::kGpuPlus;
    input.form = GetParam().form;
    input.input_bytes = corpus.total_bytes;
    input.forced_block_bytes = setting.block_bytes;
    input.lanes = setting.lanes;
    input.block_limit = [](std::size_t bytes) { return bytes; };
    if (GetParam().form == ChunkForm::kTokens) {
      input.cpu_sort_bytes = [&](const ChunkLimits& limits) {
        return most_token_sort_bytes(content_options_, limits, *cpu_);
      };
    }
    IndexPlan plan = plan_index(input, content_options_, corpus);
    if (setting.run_memory_bytes != 0) plan.run_memory_bytes = setting.run_memory_bytes;
    if (setting.compaction_bytes != 0) plan.compaction_bytes = setting.compaction_bytes;
    return plan;
  }

  static GpuLanes make_lanes(const HostGpuSetting& setting, MemoryBudget& budget) {
    if (setting.damage) return make_damaging_lanes(setting.arena_bytes, setting.lanes, budget, setting.damage);
    return make_host_lanes({GetParam().form, setting.arena_bytes, setting.lanes, setting.arenas,
                            find_record_sorter("cpu-radix"), find_string_sorter("cpu-msd")},
                           budget);
  }

  BlockStats index(const HostGpuSetting& setting, const std::string& output) {
    IndexProgress progress;
    const auto ignore = [](const std::string&) {};
    const IndexContext context{posix_file_system(), signal_number_, progress, ignore, ignore};
    IndexOptions options = job({scratch_ / "in"});
    options.corpus.max_document_bytes = content_options_.max_document_bytes;
    const ContentOptions content_options = content();
    const CorpusPlan corpus = plan_corpus(context.files, options.inputs, options.corpus);
    const IndexPlan planned = plan(setting, corpus);
    MemoryBudget budget(setting.memory_bytes + (GetParam().pinned_slots ? setting.pinned_bytes : 0));
    TempSpace temp(context.files, {}, scratch_.path(), 0);
    RunStore runs(budget, temp, planned.run_memory_bytes,
                  TermBlockBuilder::max_block_bytes(planned.run_block_bytes, content_options.max_term_bytes));
    SkipLog skips(1, false);
    IngestStats stats;
    {
      std::optional<JobPinnedSlots> slots;
      if (GetParam().pinned_slots) slots.emplace(setting, planned.slot_bytes, budget);
      const GpuLanes lanes = make_lanes(setting, budget);
      fail_gpu_call(setting.failing_call, setting.fault);
      const auto cost = [](const ParsedChunk& chunk) { return chunk.memory.size(); };
      stats = ingest({options,
                      content_options,
                      corpus,
                      planned,
                      IndexMode::kGpuPlus,
                      {*cpu_, lanes},
                      cost,
                      context,
                      budget,
                      temp,
                      setting.threads,
                      slots ? &slots->get() : nullptr},
                     runs, skips);
      fail_gpu_call(0);
    }
    chunks_ = stats.chunks;
    pinned_chunks_ = stats.pinned_chunks;
    IndexWriter writer(context.files, output, content_options);
    MergeStats merged;
    const IndexTotals totals = merge_into_index(
        {.content = content_options,
         .run_block_bytes = planned.run_block_bytes,
         .id_sort_bytes = planned.id_sort_bytes,
         .id_sorter = auto_string_sorter(),
         .context = context,
         .budget = budget,
         .temp = temp,
         .threads = setting.threads,
         .dedup = options.dedup},
        runs, writer, [](std::uint64_t) {}, merged);
    writer.finish(totals);
    spilled_bytes_ = temp.written_bytes();
    return stats.block;
  }

  const std::unique_ptr<BlockSorter> cpu_ =
      make_key_block_sorter(*find_record_sorter("cpu-radix"), auto_string_sorter());
};

// The forms of chunks that GPUs take, with and without positions, and with tokens in pinned slots or not.
inline std::vector<HostGpuCase> host_gpu_cases() {
  return {{ChunkForm::kTables, false, false}, {ChunkForm::kTables, true, false}, {ChunkForm::kTokens, false, false},
          {ChunkForm::kTokens, true, false},  {ChunkForm::kTokens, false, true}, {ChunkForm::kTokens, true, true}};
}
inline std::vector<HostGpuCase> host_gpu_token_cases() {
  std::vector<HostGpuCase> cases = host_gpu_cases();
  std::erase_if(cases, [](const HostGpuCase& tested) { return tested.form != ChunkForm::kTokens; });
  return cases;
}
inline std::vector<HostGpuCase> host_gpu_slot_cases() {
  std::vector<HostGpuCase> cases = host_gpu_cases();
  std::erase_if(cases, [](const HostGpuCase& tested) { return !tested.pinned_slots; });
  return cases;
}
inline std::string host_gpu_case_name(const ::testing::TestParamInfo<HostGpuCase>& tested) {
  return std::string(tested.param.form == ChunkForm::kTokens ? "Tokens" : "Tables") +
         (tested.param.pinned_slots ? "InSlots" : "") + (tested.param.positions ? "WithPositions" : "WithoutPositions");
}

}  // namespace spillway::testing
