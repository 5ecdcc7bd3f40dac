#include "indexer/plan/memory.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "corpora/reader/task_parser.hpp"
#include "corpora/unpack/gzip_ahead.hpp"
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
constexpr std::size_t kThreadBytes = std::size_t{128} << 10;  // touched stack of a parsing and of a sorting thread
constexpr std::size_t kSlackBytes = 5 * kMebibyte;            // allocator, small containers
constexpr std::size_t kMaxBlockBytes = 512 * kMebibyte;       // a larger block only sorts more slowly
constexpr std::size_t kMaxGpuBlockBytes = 1024 * kMebibyte;   // nothing overlaps the last block pass

// Larger buffers of archives make fewer and larger chunks: pages of 180 KB took a fifth less CPU time with 4 MiB than
// with 1 MiB. Rows of Arrow streams are not copied, and a task of them is as long as one of a plain file: with 4 MiB,
// 450 MB of short documents made 120 chunks where JSON lines made 55, and took two fifths more CPU time.
constexpr std::size_t kMostArchiveBytes = 4 * kMebibyte, kMostArrowBytes = 16 * kMebibyte;

// Records of plain files up to this length are read once, and unescaped in memory as others are. Longer ones are read
// four times and unescaped in small pieces. Source code has 42 % of its bytes in JSON lines above 1 MiB and 6 % in
// lines above 16 MiB: indexing 1.3 GB of it on two cores took 12 % less CPU time with 16 MiB than with 1 MiB, and a
// line of 17 MB at the end of the input kept one thread for 0.06 s while 15 others had nothing to do.
constexpr std::size_t kMostRecordBytes = 64 * kMebibyte;
constexpr std::size_t kPartsOfRecords = 32;  // of the memory: all buffers for them take one
constexpr std::size_t kLeastForRecords = 1024 * kMebibyte;

constexpr std::size_t kLeastForLastRun = 256 * kMebibyte;
constexpr std::size_t kLeastForWaiting = 256 * kMebibyte;

// From large to small; the plan takes the first that leaves most of the memory to blocks. Larger tables miss the L2
// cache (2 MiB) too often; smaller ones make more chunks, and so more strings and lists to merge. Short documents with
// few words fill the stream of a chunk before its table: German package descriptions take 12 % less CPU time at the
// first level than at the second.
struct Level {
  ChunkLimits chunk;
  std::size_t buffer_bytes;
};
constexpr std::array<Level, 8> kLevels{{
    {{65536, std::size_t{1} << 22, std::size_t{1} << 22, 1U << 20}, std::size_t{1} << 20},
    {{65536, std::size_t{1} << 21, std::size_t{1} << 20, 1U << 20}, std::size_t{1} << 20},
    {{32768, std::size_t{1} << 20, std::size_t{1} << 20, 1U << 20}, std::size_t{1} << 20},
    {{16384, std::size_t{1} << 19, std::size_t{1} << 19, 1U << 19}, std::size_t{512} << 10},
    {{16384, std::size_t{1} << 18, std::size_t{1} << 18, 1U << 18}, std::size_t{256} << 10},
    {{8192, std::size_t{1} << 18, std::size_t{1} << 17, 1U << 17}, std::size_t{256} << 10},
    {{4096, std::size_t{1} << 17, std::size_t{1} << 16, 1U << 16}, std::size_t{256} << 10},
    {{2048, std::size_t{1} << 16, std::size_t{1} << 15, 1U << 15}, std::size_t{256} << 10},
}};

ChunkLimits chunk_of(const Level& level) {
  ChunkLimits chunk = level.chunk;
  chunk.text_bytes = 2 * chunk.stream_words;  // about the text of such a chunk
  chunk.token_bytes = chunk.stream_words;     // half of it
  return chunk;
}

std::size_t task_bytes(std::uint64_t input_bytes, unsigned threads) {
  constexpr std::uint64_t kMin = 256 << 10, kMax = 16 << 20;
  if (input_bytes == 0) return kMax;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(input_bytes / (std::uint64_t{threads} * 8), kMin, kMax));
}

// Returns the bytes that long records of plain files add to the memory of a parser.
std::size_t long_record_bytes(const ReaderLimits& limits) {
  return 2 * (std::max(limits.record_bytes, limits.buffer_bytes) - limits.buffer_bytes);
}

// The first level is for inverted chunks, where parsers and their chunks take little of the memory. Where GPUs sort,
// large chunks save nothing, and runs, which are then compacted, need the memory.
bool is_roomy(const IndexPlanInput& input, const Level& level, const IndexPlan& plan, std::size_t chunk_bytes) {
  if (input.chunk_fits_device && !input.chunk_fits_device(plan.chunk)) return false;
  const std::size_t parser_bytes = plan.parser_bytes - long_record_bytes(plan.reader);
  const std::size_t with_chunks = input.threads * (parser_bytes + 2 * chunk_bytes);
  if (&level == kLevels.data()) return input.form == ChunkForm::kPostings && with_chunks <= input.memory_bytes / 4;
  if (input.lanes != 0) return with_chunks <= (input.memory_bytes - plan.reserve_bytes) / 3;
  return input.threads * parser_bytes <= input.memory_bytes / 3;
}

// Chunks wait until the chunks of all earlier tasks are in the block. A task of text with many distinct words makes
// several chunks: with room for one chunk a thread, 16 threads stood still half of the time (a million words).
std::size_t most_waiting_bytes(const IndexPlanInput& input, std::size_t task_bytes, std::size_t bytes) {
  return bytes < kLeastForWaiting ? 0 : 2 * task_bytes * (input.threads - 1);
}

// Memory of a sort on the CPU instead, for each chunk in flight.
std::size_t cpu_sort_bytes(const IndexPlanInput& input, const ChunkLimits& chunk, std::size_t chunk_bytes) {
  constexpr std::size_t kSortShare = 5;  // sorting a chunk with a table takes 5 times its bytes
  return input.cpu_sort_bytes ? input.cpu_sort_bytes(chunk) : kSortShare * chunk_bytes;
}

// The size of one of the reader's buffers: at most `most`, and halved until all of them are a small part of the memory.
std::size_t buffer_bytes(const IndexPlanInput& input, std::size_t most, std::size_t parts_of_memory = 14) {
  const std::size_t buffers = 2 * std::size_t{input.threads} + 1;
  std::size_t bytes = most;
  while (buffers * bytes > input.memory_bytes / parts_of_memory) bytes /= 2;
  return bytes;
}

// The longest record of a plain file that is held in memory; 0: as the level says.
std::size_t record_bytes(const IndexPlanInput& input) {
  return input.memory_bytes < kLeastForRecords ? 0 : buffer_bytes(input, kMostRecordBytes, kPartsOfRecords);
}

// Threads that wait for the reader unpack ahead of it. For one thread the reader itself does it, and where memory is
// short.
void plan_ahead(const IndexPlanInput& input, ReaderLimits& limits) {
  constexpr unsigned kMost = 32;
  const auto fits = [&](unsigned lanes, const GzipAhead::Size& size) {
    return GzipAhead::all_bytes(lanes, size) <= input.memory_bytes / 14;
  };
  limits.ahead_lanes = input.threads == 1 ? 0 : std::min(input.threads, kMost);
  limits.ahead_size = GzipAhead::kAllMembers;
  if (fits(limits.ahead_lanes, limits.ahead_size)) return;
  limits.ahead_size = GzipAhead::kShortMembers;
  while (!fits(limits.ahead_lanes, limits.ahead_size)) --limits.ahead_lanes;
}

// Enough for bodies in gzip and for short ones in other codings, whatever the memory; from 1 GiB for a thread on, also
// for windows of 8 MiB of br, which bodies of many servers have. Other bodies are decoded one after the other.
std::size_t decoder_bytes(const IndexPlanInput& input) {
  constexpr std::size_t kLeastBytes = std::size_t{128} << 10, kMostBytes = 8 * kMebibyte;
  return std::clamp(input.memory_bytes / (std::size_t{64} * input.threads), kLeastBytes, kMostBytes);
}

// Fills in the limits of chunks and readers at a level.
void take_level(const IndexPlanInput& input, const ContentOptions& options, const Level& level, IndexPlan& plan) {
  plan.reader.buffer_bytes = level.buffer_bytes;
  plan.reader.record_bytes = std::max(level.buffer_bytes, record_bytes(input));
  plan.reader.archive_bytes = buffer_bytes(input, kMostArchiveBytes);
  plan.reader.arrow_bytes = buffer_bytes(input, kMostArrowBytes);
  plan.reader.threads = input.threads;
  plan.reader.unpack_bytes = ZstdCodec::share_of(input.memory_bytes);
  plan.reader.task_bytes = task_bytes(input.input_bytes, input.threads);
  plan.reader.decoder_bytes = decoder_bytes(input);
  plan_ahead(input, plan.reader);
  plan.chunk = chunk_of(level);
  plan.parser_bytes = chunk_parser_bytes(options, plan.chunk, input.form) + TaskParser::memory_bytes(plan.reader);
  plan.reserve_bytes = program_reserve_bytes(input.program_bytes, input.threads) + input.list_bytes;
  plan.staging_bytes = input.staging_bytes;
  plan.blocks_in_flight = input.lanes == 0 ? 2 : 1 + input.lanes;
  plan.assembler.overlap = overlaps(input.mode);
}

// Rows of the table. The weights add up to about 1: parts of the memory that the fixed rows leave.
enum Row : std::size_t {
  kProgram,
  kReader,
  kDecoders,
  kParsers,
  kStaging,
  kWaiting,
  kRuns,
  kBlocks,
  kEncoded,
  kFallback,
  kLists
};

// On the CPU two blocks are in memory, one being filled and one being sorted, and a quarter of a block for its encoded
// lists.
constexpr std::size_t in_quarters(std::size_t block_bytes) { return block_bytes / 4 * 9; }

void add_cpu_rows(std::size_t rest, std::size_t chunk_bytes, std::size_t sort_bytes,
                  std::vector<MemoryConsumer>& rows) {
  rows.push_back({"runs kept in memory", 0, 0.175, rest / 2});
  rows.push_back({"blocks with their sorts and lists", 4 * chunk_bytes + sort_bytes, 0.7, in_quarters(kMaxBlockBytes)});
}

// While one block is sorted on the CPU instead, the next may be on the GPU, so each of the two has a row of its own.
// Lists of small blocks of tokens, whose words are mostly distinct, take 1.5 times the block.
void add_gpu_rows(const IndexPlanInput& input, std::size_t rest, std::size_t chunk_bytes, std::size_t sort_bytes,
                  std::vector<MemoryConsumer>& rows) {
  constexpr double kBlocksAndLists = 0.615, kListsOfTables = 0.082;
  const std::size_t blocks = 1 + input.lanes;
  const std::size_t most_block = input.block_limit(std::clamp(rest / blocks, kMebibyte, kMaxGpuBlockBytes));
  const std::size_t most_lists_of_blocks = std::max(rest / 12, 2 * input.lanes * most_block);
  double lists = kListsOfTables;
  std::size_t most_lists = rest / 12;
  if (input.form == ChunkForm::kTokens) {
    lists = kBlocksAndLists * 1.5 * input.lanes / (static_cast<double>(blocks) + 1.5 * input.lanes);
    most_lists = std::min(std::max(rest / 12, input.lanes * (kMaxGpuBlockBytes / 8)), most_lists_of_blocks);
  }
  if (input.staging_bytes == 0) lists = 0, most_lists = 0;
  rows.push_back({"runs kept in memory", sort_bytes * 3 / 7, 0.164, rest / 2});
  rows.push_back({"blocks", 2 * blocks * chunk_bytes, kBlocksAndLists - lists, blocks * most_block});
  rows.push_back({"encoded lists on their way to runs", 0, 0.055, input.lanes * most_encoded_bytes(input.threads)});
  rows.push_back({"sort on the CPU instead", sort_bytes, 0.041, rest / 20});
  rows.push_back({"lists from the GPU", input.staging_bytes == 0 ? 0 : chunk_bytes, lists, most_lists});
}

std::vector<MemoryConsumer> consumers_of(const IndexPlanInput& input, const ContentOptions& options,
                                         const CorpusPlan& corpus, const IndexPlan& plan) {
  const std::size_t chunk_bytes = max_chunk_bytes(options, plan.chunk, input.form);
  const std::size_t sort_bytes = cpu_sort_bytes(input, plan.chunk, chunk_bytes);
  const std::size_t decoders = CorpusReader::decoder_memory_bytes(corpus, plan.reader);
  std::vector<MemoryConsumer> rows{{"program, list of files, stacks, slack", plan.reserve_bytes},
                                   {"reader", CorpusReader::memory_bytes(corpus, plan.reader) - decoders},
                                   {"content decoders of pages", decoders},
                                   {"parsers and their chunks", input.threads * (plan.parser_bytes + 2 * chunk_bytes)},
                                   {"pinned staging", input.staging_bytes}};
  const std::size_t rest = input.memory_bytes - std::min(input.memory_bytes, least_bytes(rows));
  rows.push_back({"chunks waiting for their turn", 0, 0.125, most_waiting_bytes(input, plan.reader.task_bytes, rest)});
  if (input.lanes == 0) {
    add_cpu_rows(rest, chunk_bytes, sort_bytes, rows);
  } else {
    add_gpu_rows(input, rest, chunk_bytes, sort_bytes, rows);
  }
  return rows;
}

// Memory for compacting runs, if there will be many; at most a quarter of the runs' memory.
std::size_t compaction_share(const IndexPlanInput& input, std::size_t largest_block_bytes, const IndexPlan& plan) {
  const std::size_t block = std::max<std::size_t>(
      1, input.forced_block_bytes == 0 ? plan.assembler.block_bytes
                                       : std::min<std::size_t>(plan.assembler.block_bytes, input.forced_block_bytes));
  if (input.input_bytes != 0 && input.input_bytes / block < kMostWaitingRuns / 2) return 0;
  constexpr std::size_t kInputPerRunByte = 4;
  if (block / kInputPerRunByte > kMostSmallRunBytes) return 0;
  // Only runs in memory are compacted, so several must fit there.
  if (kLeastCompactedRuns * (block / kInputPerRunByte) > plan.run_memory_bytes) return 0;
  const std::size_t most = plan.run_memory_bytes / 4;
  if (compaction_memory_bytes(largest_block_bytes, 1) > most) return 0;
  return std::min(most, compaction_memory_bytes(largest_block_bytes, input.threads));
}

// Blocks that may wait beside those in flight, from memory that no row of the table takes, where the GPU is started
// while parsers fill them. With 16 threads, 4 and 8 GiB of them saved no more time than 2 GiB did
// (docs/results/gpu_start.md): more slots are touched and locked, and after the start parsing keeps up with the GPU.
// More threads fill more of them during the start.
unsigned waiting_blocks(const IndexPlanInput& input, std::size_t unused, const IndexPlan& plan) {
  const std::size_t most = std::clamp(input.threads, 16U, 32U) * 128 * kMebibyte;
  if (!input.waits_for_gpu || plan.assembler.block_bytes == 0) return 0;
  return static_cast<unsigned>(std::min(unused / 2, most) / plan.assembler.block_bytes);
}

// Pinned slots for all chunks of tokens, from memory that no row of the table takes. None if it holds less than half of
// the chunks, or if chunks hold texts, which do not fit slots.
std::size_t slot_share(const IndexPlanInput& input, const ContentOptions& options, std::size_t unused,
                       const IndexPlan& plan) {
  if (input.lanes == 0 || input.staging_bytes == 0 || input.form != ChunkForm::kTokens) return 0;
  if (options.store == StorePolicy::kText) return 0;
  // A chunk counts as its whole slot; each parser fills one more.
  const std::size_t blocks = std::size_t{plan.blocks_in_flight} + plan.waiting_blocks;
  const std::size_t wanted = blocks * plan.assembler.block_bytes + plan.assembler.hold_bytes +
                             input.threads * pinned_slot_bytes(options, plan.chunk);
  return unused < wanted / 2 ? 0 : std::min(unused, wanted);
}

// Blocks of runs: small enough that the cursors of many runs share the cache, and large enough for a kept block's
// lists.
std::size_t run_block_bytes(const IndexPlanInput& input, std::size_t block_bytes) {
  const std::size_t blocks_of_run = input.lanes == 0 ? 128 : 512;
  const std::size_t least = std::size_t{input.lanes == 0 ? 64U : 16U} << 10;
  return std::clamp<std::size_t>(block_bytes / blocks_of_run, least, 512 << 10);
}

// Fills in the plan from the solved table.
void take_shares(const IndexPlanInput& input, const ContentOptions& options, std::size_t unused, IndexPlan& plan) {
  const std::vector<MemoryConsumer>& rows = plan.consumers;
  const auto bytes = [&](Row row) { return row < rows.size() ? rows[row].bytes : 0; };
  const std::size_t rest = bytes(kRuns) + bytes(kBlocks) + bytes(kFallback) + bytes(kLists) + unused;
  const std::size_t chunk_bytes = max_chunk_bytes(options, plan.chunk, input.form);
  plan.assembler.hold_bytes = input.threads * chunk_bytes + bytes(kWaiting);
  plan.decoder_bytes = bytes(kDecoders);
  plan.run_memory_bytes = bytes(kRuns);
  plan.fallback_bytes = bytes(kFallback);
  plan.list_bytes = bytes(kLists);
  if (input.lanes == 0) {
    plan.assembler.block_bytes = bytes(kBlocks) / 9 * 4;
    plan.encode_bytes = plan.assembler.block_bytes / 4;
  } else {
    plan.assembler.block_bytes = input.block_limit(bytes(kBlocks) / plan.blocks_in_flight);
    plan.encode_bytes = bytes(kEncoded);
  }
  plan.last_run_memory_bytes = rest >= kLeastForLastRun ? std::min(rest / 5, plan.assembler.block_bytes) : 0;
  plan.run_block_bytes = run_block_bytes(input, plan.assembler.block_bytes);
  const std::size_t largest_block = TermBlockBuilder::max_block_bytes(plan.run_block_bytes, options.max_term_bytes);
  plan.waiting_blocks = waiting_blocks(input, unused, plan);
  plan.pinned_bytes = slot_share(input, options, unused, plan);
  plan.compaction_bytes = compaction_share(input, largest_block, plan);
  plan.run_memory_bytes -= plan.compaction_bytes;
  plan.id_sort_bytes = std::clamp<std::size_t>(rest / 4, std::size_t{256} << 10, 1024 * kMebibyte);
}

// Returns whether the level's consumers fit and leave most of the memory to blocks.
bool divide(const IndexPlanInput& input, const ContentOptions& options, const CorpusPlan& corpus, const Level& level,
            IndexPlan& plan) {
  take_level(input, options, level, plan);
  plan.consumers = consumers_of(input, options, corpus, plan);
  if (least_bytes(plan.consumers) > input.memory_bytes) return false;
  const std::size_t unused = divide_memory(input.memory_bytes, plan.consumers);
  take_shares(input, options, unused, plan);
  return &level == &kLevels.back() || is_roomy(input, level, plan, max_chunk_bytes(options, plan.chunk, input.form));
}

std::string megabytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / static_cast<double>(kMebibyte));
  return text;
}

// The least bytes that the smallest chunks need, and the decoders' part of them.
struct Least {
  std::size_t bytes, decoder_bytes;
};
Least least_of(const IndexPlanInput& input, const ContentOptions& options, const CorpusPlan& corpus) {
  IndexPlan plan;
  take_level(input, options, kLevels.back(), plan);
  return {least_bytes(consumers_of(input, options, corpus, plan)),
          CorpusReader::decoder_memory_bytes(corpus, plan.reader)};
}

// The same job with fewer threads that parse.
IndexPlanInput with_parsers(IndexPlanInput input, unsigned parsers) {
  input.program_bytes += (input.threads - parsers) * kThreadBytes;
  input.threads = parsers;
  return input;
}

// All threads parse, unless the memory of decoders leaves too little to blocks then.
unsigned parser_count(const IndexPlanInput& input, const ContentOptions& options, const CorpusPlan& corpus) {
  constexpr std::size_t kShareOfBlocks = 8;
  const auto fits = [&](unsigned parsers) {
    const Least least = least_of(with_parsers(input, parsers), options, corpus);
    return least.decoder_bytes == 0 || least.bytes + input.memory_bytes / kShareOfBlocks <= input.memory_bytes;
  };
  unsigned parsers = input.threads;
  while (parsers > 1 && !fits(parsers)) --parsers;
  return parsers;
}

[[noreturn]] void refuse(const IndexPlanInput& input, std::size_t files, std::size_t needed) {
  const bool many = input.threads > 1;
  std::string what = many ? std::to_string(input.threads) + " threads" : "one thread";
  if (input.list_bytes > kMebibyte) {
    what += " and a list of " + std::to_string(files) + " files (" + megabytes(input.list_bytes) + ")";
  }
  throw BudgetError("--memory " + megabytes(input.memory_bytes) + " is too little for " + what + "; give at least " +
                    std::to_string((needed + kMebibyte - 1) / kMebibyte) + "M" + (many ? ", or fewer --threads" : ""));
}

}  // namespace

ChunkLimits least_chunk() { return chunk_of(kLevels.back()); }

std::size_t program_reserve_bytes(std::size_t program_bytes, unsigned threads) {
  return program_bytes + threads * kThreadBytes + kSlackBytes;
}

std::size_t least_memory_bytes(const IndexPlanInput& input, const ContentOptions& options, const CorpusPlan& corpus) {
  const Least all = least_of(input, options, corpus);
  const Least one = least_of(with_parsers(input, 1), options, corpus);
  return std::max({all.bytes - all.decoder_bytes, one.bytes, kMinMemoryBytes});
}

IndexPlan plan_index(const IndexPlanInput& asked, const ContentOptions& options, const CorpusPlan& corpus) {
  const std::size_t needed = least_memory_bytes(asked, options, corpus);
  if (asked.memory_bytes < needed) refuse(asked, corpus.files.size(), needed);
  const IndexPlanInput input = with_parsers(asked, parser_count(asked, options, corpus));
  IndexPlan plan;
  plan.form = input.form;
  plan.parsers = input.threads;
  for (const Level& level : kLevels) {
    if (divide(input, options, corpus, level, plan)) break;
  }
  if (input.forced_block_bytes != 0) {
    // Chunks shrink with the blocks, so that little input makes blocks of any size.
    const auto forced = static_cast<std::size_t>(input.forced_block_bytes);
    plan.forced_blocks = true;
    plan.assembler.block_bytes = std::min(plan.assembler.block_bytes, forced);
    plan.reader.task_bytes = std::min(plan.reader.task_bytes, std::max<std::size_t>(forced, 512));
    plan.chunk.stream_words = std::min(plan.chunk.stream_words, std::max<std::size_t>(forced / 16, 16));
    plan.chunk.token_bytes = std::min(plan.chunk.token_bytes, std::max<std::size_t>(forced / 4, 64));
  }
  plan.slot_bytes = pinned_slot_bytes(options, plan.chunk);
  return plan;
}

std::string IndexPlan::describe() const {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    text += "  " + std::string(name) + ": " + value + "\n";
  };
  for (const MemoryConsumer& consumer : consumers) {
    if (consumer.bytes != 0) line(consumer.name, megabytes(consumer.bytes));
  }
  if (pinned_bytes != 0) {
    line("pinned slots for chunks", megabytes(pinned_bytes) + ", each of " + megabytes(slot_bytes));
  }
  line("sort of ids, after blocks", megabytes(id_sort_bytes));
  text += "sizes:\n";
  line("tasks of", megabytes(reader.task_bytes) + ", read through buffers of " + megabytes(reader.buffer_bytes) +
                       ", records of plain files of up to " + megabytes(reader.record_bytes));
  line("chunks with a table of", std::to_string(chunk.table_entries) + " entries");
  const std::string waiting =
      ", and " + std::to_string(waiting_blocks) + " more that may wait, as the GPU is being started";
  line("blocks of", megabytes(assembler.block_bytes) + ", " + std::to_string(blocks_in_flight) + " in flight" +
                        (waiting_blocks == 0 ? "" : waiting));
  line("runs in blocks of", std::to_string(run_block_bytes >> 10) + " KiB");
  if (compaction_bytes != 0) line("compacting small runs, from the runs' memory", megabytes(compaction_bytes));
  return text;
}

}  // namespace spillway
