// Whole jobs whose blocks visit the host's stand-in for a GPU, in both forms of chunks: the index is that of the CPU,
// also where visits fail, and what they would have done is done by the CPU.
#include <zstd.h>

#include "indexer/cpu_pieces.hpp"
#include "indexer/gpu/host_visit.hpp"
#include "indexer/ingest.hpp"
#include "indexer/run_merging.hpp"
#include "indexer/term_filter.hpp"
#include "indexer/unicode_words.hpp"
#include "sort/auto_string_sorter.hpp"
#include "sort/gpu/gpu_faults.hpp"
#include "tests/end_to_end/same_bytes.hpp"
#include "tests/indexer/gpu/damaging_machine.hpp"

namespace spillway {
namespace {

using testing::SameBytes;
using testing::Upload;

struct HostGpuCase {
  ChunkForm form;
  bool positions;
};

// What of a job may change, but not its index.
struct HostGpuSetting {
  std::uint64_t block_bytes = 0;
  std::size_t memory_bytes = std::size_t{256} << 20;
  std::size_t arena_bytes = std::size_t{24} << 20;
  unsigned visits = 2, threads = 2;
  std::uint64_t failing_call = 0;
  GpuFault fault = GpuFault::kMemory;
  testing::DamageUpload damage;  // kTokens
};

class HostGpuJob : public SameBytes, public ::testing::WithParamInterface<HostGpuCase> {
 protected:
  HostGpuJob() { content_options_.positions = GetParam().positions; }
  void TearDown() override { fail_gpu_call(0); }

  // As run_index() does it, with visits to the host.
  BlockFigures expect_same_with(const HostGpuSetting& setting) {
    const std::string output = scratch_ / "index";
    const BlockFigures figures = index(setting, output);
    EXPECT_TRUE(testing::same_index(expected_, output));
    EXPECT_EQ(figures.gpu_blocks + figures.cpu_blocks, blocks_of(figures));
    std::filesystem::remove_all(output);
    return figures;
  }

 private:
  // One that the CPU sorts may become several runs.
  static std::uint64_t blocks_of(const BlockFigures& figures) {
    return figures.cpu_blocks == 0 ? figures.blocks : figures.gpu_blocks + figures.cpu_blocks;
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
    input.memory_bytes = setting.memory_bytes - setting.visits * setting.arena_bytes;
    input.threads = setting.threads;
    input.mode = IndexMode::kGpuPlus;
    input.form = GetParam().form;
    input.input_bytes = corpus.total_bytes;
    input.forced_block_bytes = setting.block_bytes;
    input.visits = setting.visits;
    input.block_limit = [](std::size_t bytes) { return bytes; };
    if (GetParam().form == ChunkForm::kTokens) {
      input.cpu_sort_bytes = [&](const ChunkLimits& limits) {
        return most_token_sort_bytes(content_options_, limits, *cpu_);
      };
    }
    return plan_index(input, content_options_, corpus);
  }

  static std::unique_ptr<GpuBlockSorter> make_visitor(const HostGpuSetting& setting, MemoryBudget& budget) {
    if (setting.damage) {
      return testing::make_damaging_visitor(setting.arena_bytes, setting.visits, budget, setting.damage);
    }
    return make_host_block_visitor({GetParam().form, setting.arena_bytes, setting.visits,
                                    find_record_sorter("cpu-radix"), find_string_sorter("cpu-msd")},
                                   budget);
  }

  BlockFigures index(const HostGpuSetting& setting, const std::string& output) {
    std::atomic<int> signal_number{0};
    IndexProgress progress;
    const auto ignore = [](const std::string&) {};
    const IndexContext context{posix_file_system(), signal_number, progress, ignore, ignore};
    IndexOptions options = job({scratch_ / "in"});
    options.corpus.max_document_bytes = content_options_.max_document_bytes;
    const ContentOptions content_options = content();
    const CorpusPlan corpus = plan_corpus(context.files, options.inputs, options.corpus);
    const IndexPlan planned = plan(setting, corpus);
    MemoryBudget budget(setting.memory_bytes);
    TempSpace temp(context.files, {scratch_.path()}, "runs", 0);
    RunStore runs(budget, temp, planned.run_memory_bytes,
                  TermBlockBuilder::max_block_bytes(planned.run_block_bytes, content_options.max_term_bytes));
    SkipLog skips(1, false);
    IngestFigures figures;
    {
      const auto gpu = make_visitor(setting, budget);
      fail_gpu_call(setting.failing_call, setting.fault);
      const auto cost = [](const ParsedChunk& chunk) { return chunk.memory.size(); };
      figures = ingest({options,
                        content_options,
                        corpus,
                        planned,
                        IndexMode::kGpuPlus,
                        {*cpu_, gpu.get(), nullptr},
                        cost,
                        context,
                        budget,
                        temp,
                        setting.threads},
                       runs, skips);
      fail_gpu_call(0);
    }
    IndexWriter writer(context.files, output, content_options);
    MergeFigures merged;
    const IndexTotals totals = merge_into_index(
        {content_options, planned.run_block_bytes, planned.id_sort_bytes, auto_string_sorter(), context, budget, temp,
         setting.threads},
        runs, writer, [](std::uint64_t) {}, merged);
    writer.finish(totals);
    return figures.block;
  }

  const std::unique_ptr<BlockSorter> cpu_ =
      make_key_block_sorter(*find_record_sorter("cpu-radix"), auto_string_sorter());
};
INSTANTIATE_TEST_SUITE_P(, HostGpuJob,
                         ::testing::Values(HostGpuCase{ChunkForm::kOccurrences, false},
                                           HostGpuCase{ChunkForm::kOccurrences, true},
                                           HostGpuCase{ChunkForm::kTokens, false},
                                           HostGpuCase{ChunkForm::kTokens, true}),
                         [](const auto& tested) {
                           return std::string(tested.param.form == ChunkForm::kTokens ? "Tokens" : "Tables") +
                                  (tested.param.positions ? "WithPositions" : "WithoutPositions");
                         });

TEST_P(HostGpuJob, GivesTheIndexOfTheCpuForAnyBlocksVisitsAndThreads) {
  set_random_corpus(41, 300);
  for (const std::uint64_t block_bytes : {0, 3000, 30000}) {
    for (const unsigned visits : {1U, 2U, 4U}) {
      HostGpuSetting setting;
      setting.block_bytes = block_bytes;
      setting.visits = visits;
      setting.threads = 1 + visits % 3;
      SCOPED_TRACE(::testing::Message() << "blocks " << block_bytes << ", visits " << visits);
      const BlockFigures figures = expect_same_with(setting);
      EXPECT_EQ(figures.cpu_blocks, 0U) << figures.gpu_failure;
      EXPECT_GT(figures.gpu_blocks, block_bytes == 0 ? 0U : 4U);
    }
  }
}

TEST_P(HostGpuJob, GivesTheIndexOfTheCpuForEveryContent) {
  HostGpuSetting setting;
  setting.block_bytes = 20000;
  content_options_.stemmer = "english";
  content_options_.stop_words = "the\nword\n";
  set_random_corpus(42, 200);
  EXPECT_EQ(expect_same_with(setting).cpu_blocks, 0U);
  content_options_.tokenizer = Tokenizer::kAscii;
  content_options_.max_term_bytes = 12;
  set_random_corpus(43, 200);
  EXPECT_EQ(expect_same_with(setting).cpu_blocks, 0U);
  content_options_ = {};
  content_options_.positions = GetParam().positions;
  set_corpus_with_texts(44);
  EXPECT_EQ(expect_same_with(setting).cpu_blocks, 0U);
}

// Blocks that do not fit the arena, and a budget so small that the CPU sorts them in pieces.
TEST_P(HostGpuJob, SortsOnTheCpuWhatDoesNotFitAVisit) {
  set_random_corpus(45, 300);
  HostGpuSetting setting;
  setting.memory_bytes = std::size_t{96} << 20;
  setting.arena_bytes = 1000;
  const BlockFigures figures = expect_same_with(setting);
  EXPECT_EQ(figures.gpu_blocks, 0U);
  EXPECT_GT(figures.cpu_blocks, 0U);
  EXPECT_FALSE(figures.gpu_failure.empty());
}

TEST_P(HostGpuJob, GivesTheIndexOfTheCpuWhateverCallFails) {
  set_random_corpus(46, 150);
  for (const GpuFault fault : {GpuFault::kMemory, GpuFault::kLost}) {
    HostGpuSetting setting;
    setting.block_bytes = 30000;
    setting.fault = fault;
    int failures = 0;
    for (std::uint64_t nth = 1;; nth += 1 + nth / 4) {
      setting.failing_call = nth;
      const BlockFigures figures = expect_same_with(setting);
      if (figures.cpu_blocks == 0) break;
      EXPECT_FALSE(figures.gpu_failure.empty());
      ++failures;
    }
    EXPECT_GT(failures, 8);
  }
}

// The block that was damaged on its way, and those behind it, are sorted on the CPU from what the parsers left.
TEST_P(HostGpuJob, GivesTheIndexOfTheCpuWhereUploadsAreDamaged) {
  if (GetParam().form != ChunkForm::kTokens) GTEST_SKIP() << "the sum of occurrences sees what happens to tables";
  set_random_corpus(47, 200);
  for (const Upload upload : {Upload::kPlaces, Upload::kLengths, Upload::kTokens, Upload::kPositions}) {
    if (upload == Upload::kPositions && !GetParam().positions) continue;
    SCOPED_TRACE(testing::upload_name(upload));
    std::atomic<int> blocks = 0;
    HostGpuSetting setting;
    setting.block_bytes = 20000;
    setting.visits = 1;
    setting.damage = [&](Upload at, std::span<std::uint32_t> words) {
      if (at == upload && ++blocks == 3)
        std::swap(words[0], *std::find_if(words.begin(), words.end(), [&](auto word) { return word != words[0]; }));
    };
    const BlockFigures figures = expect_same_with(setting);
    EXPECT_EQ(figures.gpu_blocks, 2U);
    EXPECT_GT(figures.cpu_blocks, 1U);
    EXPECT_NE(figures.gpu_failure.find("not the same on the GPU"), std::string::npos) << figures.gpu_failure;
  }
}

}  // namespace
}  // namespace spillway
