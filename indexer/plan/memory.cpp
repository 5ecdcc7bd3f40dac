#include "indexer/plan/memory.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "corpora/unpack/zstd_codec.hpp"
#include "indexer/block/run_output.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "indexer/parse/make_chunk_parser.hpp"
#include "indexer/run/compactor.hpp"
#include "io/base/error.hpp"
#include "io/run/term_block_builder.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kThreadBytes = std::size_t{128} << 10;  // stacks of a parsing and a sorting thread, touched part
constexpr std::size_t kSlackBytes = 5 * kMebibyte;            // allocator, small containers
constexpr std::size_t kMaxBlockBytes = 512 * kMebibyte;       // above it a block only sorts slower
constexpr std::size_t kMaxGpuBlockBytes = 1024 * kMebibyte;  // above it the last visit, which nothing overlaps, is long

constexpr std::size_t kLeastForLastRun = 256 * kMebibyte;
constexpr std::size_t kLeastForWaiting = 256 * kMebibyte;

// From large to small; the first that leaves most of the memory to blocks is taken. A table above the largest here
// leaves the L2 cache (2 MiB) too often; a smaller one makes more chunks, so more strings and lists to join. Of short
// documents with few words the rest of a chunk is full before its table is: German package descriptions take 12 % less
// CPU time at the first level than at the second.
struct Level {
  ChunkLimits chunk;
  std::size_t window_bytes;
};
constexpr std::array<Level, 7> kLevels{{
    {{65536, std::size_t{1} << 22, std::size_t{1} << 22, 1U << 20}, std::size_t{1} << 20},
    {{65536, std::size_t{1} << 21, std::size_t{1} << 20, 1U << 20}, std::size_t{1} << 20},
    {{32768, std::size_t{1} << 20, std::size_t{1} << 20, 1U << 20}, std::size_t{1} << 20},
    {{16384, std::size_t{1} << 19, std::size_t{1} << 19, 1U << 19}, std::size_t{512} << 10},
    {{8192, std::size_t{1} << 18, std::size_t{1} << 17, 1U << 17}, std::size_t{256} << 10},
    {{4096, std::size_t{1} << 17, std::size_t{1} << 16, 1U << 16}, std::size_t{256} << 10},
    {{2048, std::size_t{1} << 16, std::size_t{1} << 15, 1U << 15}, std::size_t{256} << 10},
}};

ChunkLimits chunk_of(const Level& level) {
  ChunkLimits chunk = level.chunk;
  chunk.text_bytes = 2 * chunk.stream_words;  // about as much text as such a chunk has
  chunk.token_bytes = chunk.stream_words;     // half of that
  return chunk;
}

std::size_t task_bytes(std::uint64_t input_bytes, unsigned threads) {
  constexpr std::uint64_t kMin = 256 << 10, kMax = 16 << 20;
  if (input_bytes == 0) return kMax;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(input_bytes / (std::uint64_t{threads} * 8), kMin, kMax));
}

// The first level is for inverted chunks, where parsers and their chunks take little of the memory. Where GPUs sort,
// what parsers save is for runs, which are joined then: large chunks save them nothing.
bool is_roomy(const IndexPlanInput& input, const Level& level, const IndexPlan& plan, std::size_t chunk_bytes) {
  if (input.chunk_fits_device && !input.chunk_fits_device(plan.chunk)) return false;
  const std::size_t with_chunks = input.threads * (plan.parser_bytes + 2 * chunk_bytes);
  if (&level == kLevels.data()) return input.form == ChunkForm::kPostings && with_chunks <= input.memory_bytes / 4;
  if (input.visits != 0) return with_chunks <= (input.memory_bytes - plan.reserve_bytes) / 3;
  return input.threads * plan.parser_bytes <= input.memory_bytes / 3;
}

struct Shares {
  bool fits = false;
  std::size_t needed = 0;
};

// Chunks of tasks that are not the first one wait for it. Where text has many words a task makes several chunks, and
// threads that may hold but one each stand still while the first task is parsed: on 16 threads and a million words, for
// half of the time.
std::size_t waiting_bytes(const IndexPlanInput& input, std::size_t task_bytes, std::size_t bytes) {
  if (bytes < kLeastForWaiting) return 0;
  return std::min(bytes / 8, 2 * task_bytes * (input.threads - 1));
}

// Lists of blocks that are encoded and not yet written. Beside blocks that the CPU sorts there is room for them.
std::size_t encode_share(const IndexPlanInput& input, std::size_t bytes) {
  constexpr std::size_t kLeastShare = 16;  // most of what the run of a block takes, where blocks take most of the rest
  return std::min(bytes / kLeastShare, input.visits * most_encoded_bytes(input.threads));
}

// What a sort on the CPU instead has in flight for a chunk.
std::size_t cpu_sort_bytes(const IndexPlanInput& input, const ChunkLimits& chunk, std::size_t chunk_bytes) {
  constexpr std::size_t kSortShare = 5;  // in times the chunk, of tables
  return input.cpu_sort_bytes ? input.cpu_sort_bytes(chunk) : kSortShare * chunk_bytes;
}

// In times the block: of tokens, whose words are distinct often, with room to spare.
constexpr std::size_t kMostListsOfBlock = 2;

// Blocks and what their sort has in flight, from what is left for them. While one block is sorted on the CPU instead,
// the next may be on the GPU: each of the two has a share that nobody else takes.
std::size_t block_share(const IndexPlanInput& input, std::size_t bytes, std::size_t sort_bytes, std::size_t chunk_bytes,
                        IndexPlan& plan) {
  if (input.visits == 0) return std::min(bytes * 4 / 9, kMaxBlockBytes);
  plan.fallback_bytes = std::max(bytes / 16, sort_bytes);
  // Each visit may have its lists: of small blocks of tokens, whose words are distinct often, half as large again.
  plan.list_bytes = input.staging_bytes == 0 ? 0 : bytes / 8;
  if (plan.list_bytes != 0 && input.form == ChunkForm::kTokens) {
    const std::size_t half_blocks = 2 * plan.blocks_in_flight + 3 * input.visits;
    const std::size_t most = (bytes - plan.fallback_bytes) / half_blocks * 3 * input.visits;
    plan.list_bytes = std::max(plan.list_bytes, std::min(most, input.visits * (kMaxGpuBlockBytes / 8)));
    // Each block has room for a chunk.
    const std::size_t least_blocks = plan.fallback_bytes + plan.blocks_in_flight * chunk_bytes;
    plan.list_bytes = std::min(plan.list_bytes, bytes - std::min(bytes, least_blocks));
  }
  const std::size_t most_block = (bytes - plan.fallback_bytes - plan.list_bytes) / plan.blocks_in_flight;
  const std::size_t block = input.block_limit(std::min(most_block, kMaxGpuBlockBytes));
  // Where the device is what limits blocks, runs have more use for the rest.
  plan.list_bytes = std::min(plan.list_bytes, std::max(bytes / 8, kMostListsOfBlock * input.visits * block));
  return block;
}

// What blocks do not take, as devices hold no larger ones or as they would only sort slower: at most `most_bytes` of
// it.
std::size_t unused_by_blocks(const IndexPlanInput& input, std::size_t bytes, std::size_t most_bytes,
                             const IndexPlan& plan) {
  const std::size_t block = plan.assembler.block_bytes;
  const std::size_t used =
      input.visits == 0 ? block / 4 * 9 : plan.fallback_bytes + plan.list_bytes + plan.blocks_in_flight * block;
  return std::min(most_bytes, bytes > used ? bytes - used : 0);
}

// Of runs, where there will be many; a quarter of what they have.
std::size_t join_share(const IndexPlanInput& input, std::size_t largest_block_bytes, const IndexPlan& plan) {
  const std::size_t block = std::max<std::size_t>(
      1, input.forced_block_bytes == 0 ? plan.assembler.block_bytes
                                       : std::min<std::size_t>(plan.assembler.block_bytes, input.forced_block_bytes));
  if (input.input_bytes != 0 && input.input_bytes / block < kMostWaitingRuns / 2) return 0;
  constexpr std::size_t kInputPerRunByte = 4;
  if (block / kInputPerRunByte > kMostSmallRunBytes) return 0;
  // Runs that are not in memory are not joined, and as few as those of blocks that take the memory of a CPU neither.
  if (kLeastJoinedRuns * (block / kInputPerRunByte) > plan.run_memory_bytes) return 0;
  const std::size_t most = plan.run_memory_bytes / 4;
  if (join_memory_bytes(largest_block_bytes, 1) > most) return 0;
  return std::min(most, join_memory_bytes(largest_block_bytes, input.threads));
}

// Room for all chunks of tokens that there may be, of what blocks and runs leave; nothing where that is too little for
// most of them, or where texts, which have no room in pieces, are as much again.
std::size_t slab_share(const IndexPlanInput& input, const ContentOptions& options, std::size_t bytes,
                       const IndexPlan& plan) {
  if (input.visits == 0 || input.staging_bytes == 0 || input.form != ChunkForm::kTokens) return 0;
  if (options.store == StorePolicy::kText) return 0;
  const std::size_t blocks = plan.blocks_in_flight * plan.assembler.block_bytes;
  const std::size_t used = plan.fallback_bytes + plan.list_bytes + blocks + plan.run_memory_bytes;
  // A chunk counts as its whole piece; each parser fills one more.
  const std::size_t wanted = blocks + plan.assembler.hold_bytes + input.threads * slab_piece_bytes(options, plan.chunk);
  const std::size_t unused = bytes - std::min(bytes, used);
  return unused < wanted / 2 ? 0 : std::min(unused, wanted);
}

// Fills the plan for one level; tells whether blocks have room for a few chunks.
Shares divide(const IndexPlanInput& input, const ContentOptions& options, const CorpusPlan& corpus, const Level& level,
              IndexPlan& plan) {
  plan.reader.window_bytes = level.window_bytes;
  plan.reader.threads = input.threads;
  plan.reader.unpack_bytes = ZstdCodec::share_of(input.memory_bytes);
  plan.reader.task_bytes = task_bytes(input.input_bytes, input.threads);
  plan.chunk = chunk_of(level);
  plan.parser_bytes =
      chunk_parser_bytes(options, plan.chunk, input.form) + TaskParser::memory_bytes(corpus, plan.reader);
  plan.reserve_bytes = program_reserve_bytes(input.program_bytes, input.threads);
  const std::size_t chunk_bytes = max_chunk_bytes(options, plan.chunk, input.form);
  const std::size_t fixed = plan.reserve_bytes + CorpusReader::memory_bytes(corpus, plan.reader) +
                            input.threads * (plan.parser_bytes + 2 * chunk_bytes) + input.staging_bytes;
  plan.staging_bytes = input.staging_bytes;
  plan.blocks_in_flight = input.visits == 0 ? 2 : 1 + input.visits;
  const std::size_t sort_bytes = cpu_sort_bytes(input, plan.chunk, chunk_bytes);
  // Two blocks or more (one filled, the others sorted) and what the sort has in flight; of seven tenths where GPUs
  // sort, as the rest is for runs and lists.
  const std::size_t least =
      fixed + (input.visits == 0 ? 4 * chunk_bytes + sort_bytes
                                 : (2 * plan.blocks_in_flight + 1) * chunk_bytes + sort_bytes * 10 / 7);
  if (least > input.memory_bytes) return {false, least};
  const std::size_t waiting = waiting_bytes(input, plan.reader.task_bytes, input.memory_bytes - fixed);
  plan.encode_bytes = encode_share(input, input.memory_bytes - fixed - waiting);
  const std::size_t left = input.memory_bytes - fixed - waiting - plan.encode_bytes;
  plan.run_memory_bytes = left / 5;
  plan.assembler.hold_bytes = input.threads * chunk_bytes + waiting;
  plan.assembler.overlap = overlaps(input.mode);
  plan.assembler.block_bytes = block_share(input, left - plan.run_memory_bytes, sort_bytes, chunk_bytes, plan);
  if (input.visits == 0) plan.encode_bytes = plan.assembler.block_bytes / 4;
  plan.run_memory_bytes += unused_by_blocks(input, left - plan.run_memory_bytes, left / 2 - left / 5, plan);
  // Of the share of the block that would be filled; a small one is left to the merge.
  plan.last_run_memory_bytes = left >= kLeastForLastRun ? std::min(left / 5, plan.assembler.block_bytes) : 0;
  // Cursors of many runs are to share the cache; lists of kept blocks may be as long as a block of a run.
  const std::size_t blocks_of_run = input.visits == 0 ? 128 : 512;
  const std::size_t least_block = std::size_t{input.visits == 0 ? 64U : 16U} << 10;
  plan.run_block_bytes = std::clamp<std::size_t>(plan.assembler.block_bytes / blocks_of_run, least_block, 512 << 10);
  const std::size_t largest_block = TermBlockBuilder::max_block_bytes(plan.run_block_bytes, options.max_term_bytes);
  plan.slab_bytes = slab_share(input, options, left, plan);
  plan.join_bytes = join_share(input, largest_block, plan);
  plan.run_memory_bytes -= plan.join_bytes;
  plan.id_sort_bytes = std::clamp<std::size_t>(left / 4, std::size_t{256} << 10, 1024 * kMebibyte);
  return {&level == &kLevels.back() || is_roomy(input, level, plan, chunk_bytes), least};
}

std::string megabytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / static_cast<double>(kMebibyte));
  return text;
}

}  // namespace

ChunkLimits least_chunk() { return chunk_of(kLevels.back()); }

std::size_t program_reserve_bytes(std::size_t program_bytes, unsigned threads) {
  return program_bytes + threads * kThreadBytes + kSlackBytes;
}

IndexPlan plan_index(const IndexPlanInput& input, const ContentOptions& options, const CorpusPlan& corpus) {
  IndexPlan plan;
  plan.form = input.form;
  Shares shares;
  for (const Level& level : kLevels) {
    shares = divide(input, options, corpus, level, plan);
    if (shares.fits) break;
  }
  const std::size_t needed = std::max(shares.needed, kMinMemoryBytes);
  if (!shares.fits || input.memory_bytes < kMinMemoryBytes) {
    const bool many = input.threads > 1;
    throw BudgetError("--memory " + megabytes(input.memory_bytes) + " is too little for " +
                      (many ? std::to_string(input.threads) + " threads" : "one thread") + "; give at least " +
                      std::to_string((needed + kMebibyte - 1) / kMebibyte) + "M" +
                      (many ? ", or fewer --threads" : ""));
  }
  if (input.forced_block_bytes != 0) {
    // Chunks shrink with the blocks, so that blocks of any size can be had from little input.
    const auto forced = static_cast<std::size_t>(input.forced_block_bytes);
    plan.assembler.block_bytes = std::min(plan.assembler.block_bytes, forced);
    plan.reader.task_bytes = std::min(plan.reader.task_bytes, std::max<std::size_t>(forced, 512));
    plan.chunk.stream_words = std::min(plan.chunk.stream_words, std::max<std::size_t>(forced / 16, 16));
    plan.chunk.token_bytes = std::min(plan.chunk.token_bytes, std::max<std::size_t>(forced / 4, 64));
  }
  plan.slab_piece_bytes = slab_piece_bytes(options, plan.chunk);
  return plan;
}

std::string IndexPlan::describe() const {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += std::string("  ") + name + ": " + value + "\n";
  };
  line("program, stacks, slack", megabytes(reserve_bytes));
  line("parser, each thread", megabytes(parser_bytes) + " (window " + megabytes(reader.window_bytes) + ", table of " +
                                  std::to_string(chunk.table_entries) + " entries)");
  line("tasks of", megabytes(reader.task_bytes));
  line("block, with its sort", megabytes(assembler.block_bytes));
  if (staging_bytes != 0) {
    line("blocks in flight", std::to_string(blocks_in_flight));
    line("pinned staging", megabytes(staging_bytes));
    line("lists from the GPU", megabytes(list_bytes));
    if (slab_bytes != 0)
      line("chunks in slabs", megabytes(slab_bytes) + ", in pieces of " + megabytes(slab_piece_bytes));
    line("sort on the CPU instead", megabytes(fallback_bytes));
  }
  line("lists on their way to runs", megabytes(encode_bytes));
  line("chunks waiting", megabytes(assembler.hold_bytes));
  line("runs kept in memory",
       megabytes(run_memory_bytes) + ", in blocks of " + std::to_string(run_block_bytes >> 10) + " KiB");
  if (join_bytes != 0) line("joining small runs", megabytes(join_bytes));
  line("sort of ids", megabytes(id_sort_bytes));
  return text;
}

}  // namespace spillway
