#include "indexer/plan/job.hpp"

#include <algorithm>

#include "indexer/block/chunk_sorter.hpp"
#include "indexer/block/key_sorter.hpp"
#include "indexer/block/splitter.hpp"
#include "indexer/plan/gpu_job.hpp"
#include "io/base/error.hpp"
#include "io/memory/budget.hpp"
#include "io/memory/limits.hpp"
#include "io/memory/program_bytes.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"
#include "text/analysis/term_filter.hpp"

namespace spillway {

namespace {

// Lengths and frequencies are stored in 32 bits.
constexpr std::uint64_t kMaxDocumentBytes = 0xFFFFFFFF;

// All blocks are sorted on the CPU, by the sorters of these names.
void choose_cpu_sorters(const std::string& record_sorter, const std::string& string_sorter, JobPlan& plan) {
  plan.string_sorter = string_sorter_policy(string_sorter);
  plan.strings = string_sorter == "auto" ? &auto_string_sorter() : find_string_sorter(string_sorter);
  // A block takes about a third of the memory, and each of its records about 32 bytes with scratch.
  const auto memory_bytes = static_cast<std::size_t>(plan.memory.value);
  plan.record_sorter = choose_record_sorter(record_sorter, memory_bytes / 96, memory_bytes / 3);
  const RecordSorter* records = find_record_sorter(plan.record_sorter.name);
  plan.sorter =
      records == nullptr ? make_chunk_block_sorter(*plan.strings) : make_key_block_sorter(*records, *plan.strings);
}

// For each GPU: a smaller job has no memory for blocks that wait.
constexpr std::size_t kLeastToAssume = std::size_t{1} << 30;

// Host memory of a CUDA context, which a plan with facts finds in what is resident.
constexpr std::size_t kContextBytes = std::size_t{128} << 20;

// Those that --gpu names, or the first.
std::vector<int> assumed_ids(const IndexOptions& options) {
  return options.gpu.ids.empty() ? std::vector<int>{0} : options.gpu.ids;
}

bool may_assume_gpu(const IndexOptions& options, const JobPlan& plan) {
  if (options.mode != IndexMode::kAuto && options.mode != IndexMode::kGpuPlus) return false;
  if (options.gpu.memory_bytes != 0 || options.gpu.chunks == GpuChunks::kTables) return false;
  if (options.record_sorter != "auto" || options.string_sorter != "auto") return false;
  if (plan.corpus.streams != 0 || plan.memory.value < assumed_ids(options).size() * kLeastToAssume) return false;
  return options.gpu.ids.empty() ? has_gpu_driver() : has_gpu_nodes(options.gpu.ids);
}

GpuStatus assumed_gpus(const IndexOptions& options) {
  GpuStatus status;
  status.state = GpuState::kUsable;
  for (const int id : assumed_ids(options)) {
    GpuInfo& gpu = status.gpus.emplace_back();
    gpu.id = id;
    gpu.name = options.gpu.ids.empty() ? "a GPU that is" : "GPU " + std::to_string(id) + ", which is";
    gpu.name += " started while the input is parsed";
    gpu.major = 9;
  }
  return status;
}

// Asks the GPUs for their memory, which creates contexts. None if that fails.
std::optional<GpuJobPlan> plan_gpu(const IndexOptions& options, JobPlan& plan) {
  if (!sorts_on_gpu(plan.mode.mode)) return std::nullopt;
  // Sorts blocks that no GPU sorted, in the same form.
  plan.strings = &auto_string_sorter();
  plan.sorter = make_key_block_sorter(*find_record_sorter("cpu-radix"), *plan.strings);
  const auto memory_bytes = static_cast<std::size_t>(plan.memory.value);
  const auto threads = static_cast<unsigned>(plan.threads.value);
  if (plan.assumes_gpu) return GpuJobPlan(options, assumed_ids(options), memory_bytes, threads);
  try {
    if (!plan.mode.gpus.empty()) return GpuJobPlan(options, plan.mode, memory_bytes, threads);
  } catch (const GpuError& error) {
    if (options.gpu.required) throw;
    plan.mode.gpu_failure = error.what();
    plan.mode.gpus.clear();
  }
  choose_cpu_sorters("auto", "auto", plan);  // the options name sorters of a GPU, if any
  return std::nullopt;
}

void let_lists_stay(const IndexOptions& options, const JobPlan& plan, GpuSorterOptions& lanes) {
  if (!plan.may_read_again) return;
  lanes.staying =
      staying_rule(options, plan.index, expected_text_bytes(plan.corpus), static_cast<unsigned>(plan.threads.value));
}

// Requires: the size of blocks is known.
void take_gpu_sorters(const IndexOptions& options, const GpuJobPlan& gpu, const GpuSortPlan& chosen, JobPlan& plan) {
  plan.record_sorter = chosen.sorter;
  plan.string_sorter = gpu.string_sorter();
  plan.gpu_memory = gpu.describe();
  plan.gpu_chunks = gpu.chunks();
  plan.gpu = gpu.sorter_options(chosen, plan.corpus.total_bytes);
  let_lists_stay(options, plan, *plan.gpu);
}

std::size_t charged_program_bytes(const IndexOptions& options) {
  return options.program_bytes.value_or(program_bytes());
}

// Whether what is resident, and charged, has the list of files in it.
bool lists_are_resident(const IndexOptions& options, const JobPlan& plan) {
  return !options.program_bytes && plan.corpus.files.is_whole();
}

// Lowers the threads to fit a small budget, unless --threads names them. Then estimates the job.
void divide_memory(const IndexOptions& options, const ContentOptions& content, const std::optional<GpuJobPlan>& gpu,
                   JobPlan& plan) {
  GpuSortPlan chosen;
  IndexPlanInput input;
  input.memory_bytes = static_cast<std::size_t>(plan.memory.value);
  input.list_bytes = plan.corpus.list_bytes;
  input.program_bytes = charged_program_bytes(options) - (lists_are_resident(options, plan) ? input.list_bytes : 0);
  if (plan.assumes_gpu && !options.program_bytes) input.program_bytes += plan.mode.gpus.size() * kContextBytes;
  input.waits_for_gpu = plan.assumes_gpu;
  input.mode = plan.mode.mode;
  input.form = gpu ? gpu->chunks().form : plan.sorter->form();
  input.input_bytes = plan.corpus.total_bytes;
  input.forced_block_bytes = options.block_bytes;
  if (gpu) {
    input.lanes = gpu->lanes();
    input.staging_bytes = gpu->staging_bytes(plan.corpus.total_bytes);
    if (input.form == ChunkForm::kTokens) {
      input.cpu_sort_bytes = [&](const ChunkLimits& limits) {
        return most_token_sort_bytes(content, limits, *plan.sorter);
      };
    }
    input.chunk_fits_device = [&](const ChunkLimits& limits) { return gpu->takes_chunk(limits); };
    input.block_limit = [&](std::size_t bytes) {
      chosen = gpu->choose_records(bytes, expected_text_bytes(plan.corpus));
      return chosen.block_bytes;
    };
  }
  const std::uint64_t wanted = plan.threads.value;
  const auto fits = [&] {
    input.threads = static_cast<unsigned>(plan.threads.value);
    return least_memory_bytes(input, content, plan.corpus) <= input.memory_bytes;
  };
  while (!fits() && options.threads == 0 && plan.threads.value > 1) plan.threads.value -= (plan.threads.value + 3) / 4;
  plan.index = plan_index(input, content, plan.corpus);
  if (plan.threads.value != wanted) {
    plan.threads.reason += "; " + std::to_string(wanted) + " do not fit the memory";
  }
  if (plan.index.parsers < input.threads) {
    plan.threads.reason +=
        "; " + std::to_string(plan.index.parsers) + " of them parse, for decoders of pages need memory";
  }
  if (gpu) take_gpu_sorters(options, *gpu, chosen, plan);
  plan.estimate = estimate_job(plan.corpus, plan.index, content, input.memory_bytes, input.threads);
}

ModeCosts costs_of_modes(const ContentOptions& content, FileSystem& files, const JobPlan& plan) {
  ModeCostInput input;
  input.threads = static_cast<unsigned>(plan.threads.value);
  input.memory_bytes = static_cast<std::size_t>(plan.memory.value);
  input.positions = content.positions;
  return mode_costs(files, plan.corpus, input);
}

// Everything after files, memory and threads.
void choose_and_divide(const IndexOptions& options, const ContentOptions& content, FileSystem& files, GpuFacts facts,
                       JobPlan& plan) {
  plan.may_read_again = facts == GpuFacts::kAssume && plan.corpus.streams == 0;
  const bool may_assume = facts == GpuFacts::kAssume && may_assume_gpu(options, plan);
  plan.mode = choose_mode(
      options, [&] { return costs_of_modes(content, files, plan); },
      [&] { return may_assume ? assumed_gpus(options) : find_gpus(); });
  plan.assumes_gpu = may_assume && sorts_on_gpu(plan.mode.mode);
  const std::optional<GpuJobPlan> gpu = plan_gpu(options, plan);
  if (!sorts_on_gpu(plan.mode.mode)) choose_cpu_sorters(options.record_sorter, options.string_sorter, plan);
  divide_memory(options, content, gpu, plan);
}

std::string files_text(const CorpusPlan& corpus) {
  std::string text = "input: " + std::to_string(corpus.total_bytes) + " bytes in " +
                     std::to_string(corpus.files.size()) + (corpus.files.size() == 1 ? " file" : " files");
  if (corpus.packed_files != 0)
    text += ", " + std::to_string(corpus.packed_files) + " of them compressed (each unpacked by one thread)";
  if (corpus.streams != 0) text += ", " + std::to_string(corpus.streams) + " of them a stream, of unknown size";
  return text + "\n";
}

}  // namespace

Decision choose_memory(std::uint64_t asked) {
  if (asked != 0) return {asked, "as --memory says"};
  const MemoryLimits limits = memory_limits();
  return {limits.least_bytes() / 2,
          "half of the " + std::to_string(limits.least_bytes()) + " bytes of the least limit, " + limits.least_name()};
}

Decision choose_threads(unsigned asked) {
  if (asked != 0) return {asked, "as --threads says"};
  return {usable_threads(), "processors that this process may run on"};
}

JobPlan plan_job(const IndexOptions& options, const ContentOptions& content, FileSystem& files,
                 const std::function<void()>& check, GpuFacts facts) {
  if (content.max_document_bytes > kMaxDocumentBytes) {
    throw UsageError("--max-document-bytes " + std::to_string(content.max_document_bytes) + " is above " +
                     std::to_string(kMaxDocumentBytes) + ", the maximum; give a smaller one");
  }
  const TermFilter probe(content);  // refuses an unknown stemmer before any work
  JobPlan plan;
  plan.memory = choose_memory(options.memory_bytes);
  plan.threads = choose_threads(options.threads);
  CorpusOptions corpus = options.corpus;
  corpus.max_document_bytes = content.max_document_bytes;
  const auto memory_bytes = static_cast<std::size_t>(plan.memory.value);
  plan.corpus = plan_corpus(files, options.inputs, corpus, check,
                            memory_bytes - std::min(memory_bytes, charged_program_bytes(options)));
  choose_and_divide(options, content, files, facts, plan);
  return plan;
}

MetGpu meet_gpu(const IndexOptions& options, const JobPlan& plan) {
  IndexOptions decided = options;
  decided.mode = plan.mode.mode;
  MetGpu met;
  met.mode = choose_mode(decided, {}, find_gpus);
  met.mode.reason = plan.mode.reason;
  if (met.mode.gpus.empty()) return met;
  const GpuJobPlan gpu(options, met.mode, static_cast<std::size_t>(plan.memory.value),
                       static_cast<unsigned>(plan.threads.value));
  const std::size_t block_bytes = plan.index.assembler.block_bytes;
  GpuSortPlan chosen = gpu.choose_records(block_bytes, expected_text_bytes(plan.corpus));
  const bool has_room = gpu.chunks().form == ChunkForm::kTokens && gpu.lanes() == plan.gpu->all_lanes() &&
                        chosen.block_bytes >= block_bytes && gpu.has_whole_arenas(block_bytes);
  if (!has_room) return met;
  met.lanes = gpu.sorter_options(chosen, plan.corpus.total_bytes);
  met.lanes->staging_bytes = plan.index.staging_bytes;
  let_lists_stay(options, plan, *met.lanes);
  met.gpu_memory = gpu.describe();
  return met;
}

void plan_with_facts(const IndexOptions& options, const ContentOptions& content, FileSystem& files, JobPlan& plan) {
  plan.index = {};
  plan.gpu.reset();
  plan.gpu_chunks.reset();
  plan.gpu_memory.clear();
  choose_and_divide(options, content, files, GpuFacts::kAsk, plan);
}

void plan_without_gpu(const IndexOptions& options, const ContentOptions& content, const std::string& failure,
                      JobPlan& plan) {
  plan.mode.gpus.clear();
  plan.mode.gpu_failure = failure;
  plan.assumes_gpu = false;
  plan.gpu.reset();
  plan.gpu_chunks.reset();
  plan.gpu_memory.clear();
  plan.index = {};
  choose_cpu_sorters("auto", "auto", plan);
  divide_memory(options, content, std::nullopt, plan);
}

std::size_t JobPlan::block_cost(const ParsedChunk& chunk, Positions positions) const {
  const std::size_t host = index.forced_blocks ? chunk.memory.size() : chunk.memory.page_bytes() + sizeof chunk;
  if (!gpu) return host + sorter->extra_bytes(chunk);
  try {
    const BlockPassSize size = block_pass_size(chunk, positions);
    const auto device =
        static_cast<double>(assumes_gpu ? estimated_token_pass_bytes(size) : block_pass_device_bytes(size, *gpu));
    const auto arena = static_cast<double>(gpu->arena_bytes);
    return std::max(host, static_cast<std::size_t>(device / arena * static_cast<double>(index.assembler.block_bytes)));
  } catch (const GpuError&) {
    return host;  // the GPU was lost: its lanes report that
  }
}

std::string JobPlan::describe() const {
  return files_text(corpus) + "memory: " + std::to_string(memory.value) + " bytes (" + memory.reason +
         ")\nthreads: " + std::to_string(threads.value) + " (" + threads.reason + ")\nmode: " + mode.describe() + "\n" +
         gpu_memory + (gpu_chunks ? "chunks as " + gpu_chunks->describe() + "\n" : "") + "record sorter " +
         record_sorter.describe() + "\nstring sorter " + string_sorter.describe() + "\nmemory by consumer:\n" +
         index.describe() + estimate.describe();
}

}  // namespace spillway
