#include "indexer/plan/gpu_job.hpp"

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

#include "indexer/gpu/pipeline/layout.hpp"
#include "indexer/gpu/steps/distinct_tokens.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "sort/gpu/device/arena.hpp"
#include "sort/gpu/device/error.hpp"

namespace spillway {

namespace {

// Blocks of tables: a chunk-local term number takes 4 bytes; terms, lengths and document ids about as much again.
constexpr std::size_t kBlockBytesPerRecord = 8;
constexpr std::size_t kRecordsPerString = 8;
constexpr std::size_t kBytesPerString = 8;
constexpr std::size_t kRecordsPerDocument = 100;
// Blocks of tokens: a token with the zero after it takes 5.3 bytes in source code and 5.9 in RFCs, and a third more
// where parsers cannot pack tokens. Lengths and document ids add little. The text of a token takes 5 bytes
// (TokenLayout); one more is a reserve.
constexpr std::size_t kBlockBytesPerToken = 5;
constexpr std::size_t kBytesPerToken = 6;
// Runs of positions: a few to a document, more with stop words, which begin one each.
constexpr std::size_t kTokensPerRun = 8;

constexpr double kShareOfFree = 0.8;  // leaves memory to other programs and to the driver's streams and modules
constexpr double kMostOfFree = 0.95;  // the driver does not give all that is free
constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::size_t kLeastStaging = 2 * kMebibyte;  // of a lane
// The bytes of a block's encoded lists. Generated text with a million words, which is many, gives 45 bytes a term and a
// quarter of the block of packed tokens; with positions 0.4 of large blocks.
std::size_t most_list_bytes(std::size_t block_bytes) {
  constexpr std::size_t kTermsBytes = 48 * kMebibyte;
  return std::min(block_bytes / 3 * 2, block_bytes / 5 * 2 + kTermsBytes);
}

constexpr std::size_t kMostBlockBytes = 1024 * kMebibyte;
// The block that each of two arenas must hold. With smaller arenas, the merge of more runs costs more than waiting for
// the device: 2 GB of text in 1 GiB of device memory take 0.83 s and 0.90 s for the merge with one arena, 0.85 and 1.44
// s with two.
constexpr std::size_t kSecondArenaBlock = 96 * kMebibyte;
// A lane more than arenas costs host memory for one more block and its lists: the memory must hold 16 blocks for each
// GPU.
constexpr std::size_t kLeastBlocksOfMemory = 16;

// Asks no GPU, so that a plan which assumes one comes to the same number.
unsigned lanes_of_two_arenas(std::size_t memory_bytes, std::size_t gpus) {
  return kMostBlockBytes * gpus <= memory_bytes / kLeastBlocksOfMemory ? 3 : 2;
}

// Creates a context on each GPU, all at the same time: each takes 0.1 to 0.2 s.
std::size_t free_on_all(const std::vector<GpuInfo>& gpus) {
  std::vector<std::future<std::size_t>> answers;
  for (std::size_t i = 1; i < gpus.size(); ++i) {
    answers.push_back(std::async([id = gpus[i].id] { return free_device_bytes(id); }));
  }
  std::size_t least = gpus.empty() ? ~std::size_t{0} : free_device_bytes(gpus.front().id);
  for (auto& answer : answers) least = std::min(least, answer.get());
  return least;
}

}  // namespace

std::size_t estimated_token_pass_bytes(const BlockPassSize& size) {
  // gpu-string-radix: two keys of 8 bytes, two values of 4, lists of segments of at least two strings.
  constexpr std::size_t kSortBytesPerString = 31;
  constexpr std::size_t kKeySortBytesPerFourStrings = 33;  // gpu-radix: a second copy, and CUB's own scratch
  PassScratch scratch{};
  scratch.string_sort_bytes = kSortBytesPerString * size.strings;
  scratch.record_sort_bytes = kKeySortBytesPerFourStrings * size.strings / 4;
  scratch.term_sort_bytes = kSortBytesPerString * std::size_t{token_table_slots(size.occurrences)};
  return pass_bytes(size, scratch, ChunkForm::kTokens);
}

BlockPassSize usual_pass(ChunkForm form, std::size_t block_bytes, bool positions) {
  BlockPassSize size;
  size.positions = positions;
  if (form == ChunkForm::kTokens) {
    size.strings = size.occurrences = block_bytes / (kBlockBytesPerToken + (positions ? 1 : 0)) + 1;
    size.position_runs = positions ? size.strings / kTokensPerRun : 0;
    size.token_bytes = size.strings * kBlockBytesPerToken;
    size.string_bytes = size.strings * kBytesPerToken;
    size.documents = size.occurrences / kRecordsPerDocument + 1;
    return size;
  }
  size.occurrences = block_bytes / (kBlockBytesPerRecord + (positions ? 4 : 0)) + 1;
  size.strings = size.occurrences / kRecordsPerString + 1;
  size.string_bytes = size.strings * kBytesPerString;
  size.documents = size.occurrences / kRecordsPerDocument + 1;
  return size;
}

StayingRule staying_rule(const IndexOptions& options, const IndexPlan& plan, std::uint64_t text_bytes,
                         unsigned threads) {
  constexpr std::uint64_t kMostBlocks = 512;  // go to the last merge uncompacted
  const std::uint64_t list_bytes = text_bytes / (options.content.positions ? 2 : 4);  // generated text: 0.4 and 0.2
  if (options.gpu.merge == GpuMerge::kNever || list_bytes > plan.run_memory_bytes / 2 ||
      text_bytes / kMostBlocks > plan.assembler.block_bytes) {
    return {};
  }
  return {.text_bytes = text_bytes,
          .list_bytes = list_bytes,
          .threads = threads,
          .merges_always = options.gpu.merge == GpuMerge::kAlways,
          .positions = options.content.positions};
}

GpuJobPlan::GpuJobPlan(const IndexOptions& options, const ModeChoice& choice, std::size_t memory_bytes,
                       unsigned threads)
    : record_name_(options.record_sorter),
      strings_(choose_gpu_string_sorter(options.string_sorter)),
      positions_(options.content.positions),
      memory_bytes_(memory_bytes),
      threads_(threads),
      forced_block_bytes_(static_cast<std::size_t>(options.block_bytes)) {
  const std::size_t free = free_on_all(choice.gpus);
  std::size_t bytes = static_cast<std::size_t>(static_cast<double>(free) * kShareOfFree);
  memory_reason_ = "four fifths of what is free";
  if (options.gpu.memory_bytes != 0) {
    const auto most = static_cast<std::size_t>(static_cast<double>(free) * kMostOfFree);
    memory_reason_ =
        options.gpu.memory_bytes > most ? "nearly all that is free; --gpu-memory allows more" : "as --gpu-memory says";
    bytes = std::min<std::size_t>(options.gpu.memory_bytes, most);
  }
  for (const GpuInfo& gpu : choice.gpus) sorter_.gpus.push_back(gpu.id);
  sorter_.string_sorter = strings_.name;
  sorter_.arenas = choose_arenas(choice, bytes);
  most_arena_bytes_ = bytes / sorter_.arenas / kDeviceAlignment * kDeviceAlignment;
  chunks_ = choose_chunks(options.gpu.chunks);
  sorter_.form = chunks_.form;
  sorter_.holds_lists = options.gpu.memory_bytes == 0 && options.gpu.merge != GpuMerge::kNever &&
                        options.content.store != StorePolicy::kText && !options.append;
  sorter_.lanes = choose_lanes(choice);
  if (takes_chunk(least_chunk())) return;
  throw GpuMemoryError("a block has " + std::to_string(most_arena_bytes_) +
                       " bytes of GPU memory, too little for the smallest one: raise --gpu-memory");
}

GpuJobPlan::GpuJobPlan(const IndexOptions& options, std::vector<int> assumed, std::size_t memory_bytes,
                       unsigned threads)
    : is_assumed_(true),
      record_name_(options.record_sorter),
      strings_(choose_gpu_string_sorter(options.string_sorter)),
      chunks_{ChunkForm::kTokens, "tokens need no look-up, if the GPU that is being started has memory for them"},
      most_arena_bytes_(~std::size_t{0} / 4),
      memory_reason_("assumed while it is being started"),
      positions_(options.content.positions),
      memory_bytes_(memory_bytes),
      threads_(threads),
      forced_block_bytes_(static_cast<std::size_t>(options.block_bytes)) {
  sorter_.form = ChunkForm::kTokens;
  sorter_.gpus = std::move(assumed);
  sorter_.string_sorter = strings_.name;
  sorter_.arenas = 2;
  sorter_.lanes = lanes_of_two_arenas(memory_bytes, sorter_.gpus.size());
}

// Two where they fit, so that one block goes up while another is sorted.
unsigned GpuJobPlan::choose_arenas(const ModeChoice& choice, std::size_t device_bytes) const {
  if (choice.mode != IndexMode::kGpuPlus) return 1;
  const BlockPassSize size = usual_pass(ChunkForm::kTokens, kSecondArenaBlock, positions_);
  return this->device_bytes(size, ChunkForm::kTokens, record_name_) <= device_bytes / 2 ? 2 : 1;
}

// One more than arenas, so that one block is prepared, or its lists are kept or written, while others are on the GPU;
// but only if blocks are small compared with the host's memory.
unsigned GpuJobPlan::choose_lanes(const ModeChoice& choice) const {
  if (choice.mode != IndexMode::kGpuPlus) return 1;
  if (sorter_.arenas == 2) return lanes_of_two_arenas(memory_bytes_, sorter_.gpus.size());
  return most_block_bytes(0) <= memory_bytes_ / kLeastBlocksOfMemory ? 2 : 1;
}

std::size_t GpuJobPlan::most_block_bytes(std::uint64_t total_bytes) const {
  const std::size_t block = choose_records(kMostBlockBytes, total_bytes).block_bytes;
  return forced_block_bytes_ == 0 ? block : std::min(block, forced_block_bytes_);
}

std::size_t GpuJobPlan::staging_bytes(std::uint64_t total_bytes) const {
  const std::size_t most = std::max(memory_bytes_ / 16, lanes() * kLeastStaging);
  return std::clamp(lanes() * most_list_bytes(most_block_bytes(total_bytes)), lanes() * kLeastStaging, most);
}

ChunkFormChoice GpuJobPlan::choose_chunks(GpuChunks asked) const {
  constexpr std::size_t kBlock = std::size_t{64} << 20;  // so large that costs of a fixed size do not matter
  ChunkFormInput input;
  input.asked = asked;
  input.record_sorter = record_name_;
  input.pass_bytes = most_arena_bytes_;
  const auto per_byte = [&](ChunkForm form) {
    const BlockPassSize size = usual_pass(form, kBlock, positions_);
    const double text_bytes = static_cast<double>(size.occurrences) * kTextBytesPerToken;
    return static_cast<double>(device_bytes(size, form, "gpu-radix")) / text_bytes;
  };
  input.table_device_bytes = per_byte(ChunkForm::kTables);
  input.token_device_bytes = per_byte(ChunkForm::kTokens);
  return choose_chunk_form(input, ChunkFormCosts{});
}

bool GpuJobPlan::takes_chunk(const ChunkLimits& limits) const {
  BlockPassSize size;
  size.chunks = 1;
  size.strings = limits.table_entries;
  size.string_bytes = size.strings * kBytesPerString;
  size.occurrences = limits.stream_words / (positions_ ? 2 : 1);
  size.documents = size.occurrences / kRecordsPerDocument + 1;
  size.positions = positions_;
  if (chunks_.form == ChunkForm::kTokens) {
    size.token_bytes = size.string_bytes = limits.token_bytes;
    size.strings = size.occurrences = std::min(kMaxChunkTokens, limits.token_bytes / 2);
    size.position_runs = positions_ ? size.strings / 2 + 1 : 0;
    size.documents = std::min<std::size_t>(size.occurrences, limits.max_documents);
  }
  return device_bytes(size, chunks_.form, record_name_ == "auto" ? "gpu-radix" : record_name_) <= most_arena_bytes_;
}

GpuSortPlan GpuJobPlan::choose_token_blocks(std::size_t host_bytes, std::uint64_t total_bytes) const {
  const BlockPassSize size = usual_pass(ChunkForm::kTokens, host_bytes, positions_);
  const double device = static_cast<double>(device_bytes(size, ChunkForm::kTokens, record_name_));
  const double fit = std::min(1.0, static_cast<double>(most_arena_bytes_) / device) * static_cast<double>(host_bytes);
  return {{"gpu-radix", "for the keys of tokens, by the ranks of their terms"},
          token_block_bytes(static_cast<std::size_t>(fit), total_bytes, threads_, ChunkFormCosts{})};
}

GpuSortPlan GpuJobPlan::choose_records(std::size_t host_bytes, std::uint64_t total_bytes) const {
  if (chunks_.form == ChunkForm::kTokens) return choose_token_blocks(host_bytes, total_bytes);
  GpuSortPlanInput input;
  input.host_block_bytes = host_bytes;
  input.arena_bytes = most_arena_bytes_;
  input.total_block_bytes = total_bytes;
  const BlockPassSize size = usual_pass(chunks_.form, host_bytes, positions_);
  const auto per_byte = [&](const char* records) {
    return static_cast<double>(device_bytes(size, chunks_.form, records)) / static_cast<double>(host_bytes);
  };
  input.radix_device_bytes = per_byte("gpu-radix");
  input.bitonic_device_bytes = per_byte("gpu-bitonic");
  input.records_per_block_byte = static_cast<double>(size.occurrences) / static_cast<double>(host_bytes);
  return choose_gpu_record_sorter(record_name_, input, GpuSortCosts{});
}

std::size_t GpuJobPlan::device_bytes(const BlockPassSize& size, ChunkForm form,
                                     const std::string& record_sorter) const {
  if (is_assumed_) return estimated_token_pass_bytes(size);
  GpuSorterOptions options = sorter_;
  options.form = form;
  options.record_sorter = record_sorter;
  return block_pass_device_bytes(size, options);
}

GpuSorterOptions GpuJobPlan::sorter_options(const GpuSortPlan& chosen, std::uint64_t total_bytes) const {
  GpuSorterOptions options = sorter_;
  options.staging_bytes = staging_bytes(total_bytes);
  options.record_sorter = chosen.sorter.name;
  options.arena_bytes = std::min(most_arena_bytes_, wanted_arena_bytes(chosen.block_bytes, chosen.sorter.name));
  return options;
}

std::size_t GpuJobPlan::wanted_arena_bytes(std::size_t block_bytes, const std::string& record_sorter) const {
  return device_aligned(2 *
                        device_bytes(usual_pass(chunks_.form, block_bytes, positions_), chunks_.form, record_sorter));
}

bool GpuJobPlan::has_whole_arenas(std::size_t block_bytes) const {
  return wanted_arena_bytes(block_bytes, record_name_) <= most_arena_bytes_;
}

std::string GpuJobPlan::describe() const {
  if (is_assumed_) return "GPU memory: what blocks need (" + memory_reason_ + ")\n";
  return "GPU memory: at most " + std::to_string(most_arena_bytes_ * sorter_.arenas) + " bytes on each GPU (" +
         memory_reason_ + "), for " + std::to_string(sorter_.arenas) + (sorter_.arenas == 1 ? " block" : " blocks") +
         " at a time" + (sorter_.lanes > sorter_.arenas ? ", while the run of another is written" : "") +
         (sorter_.holds_lists ? "; lists that stay there until the merge may take half of the rest\n" : "\n");
}

}  // namespace spillway
