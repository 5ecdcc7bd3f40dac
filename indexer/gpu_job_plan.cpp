#include "indexer/gpu_job_plan.hpp"

#include <algorithm>

#include "sort/gpu/device_string_sorter.hpp"
#include "sort/gpu/first_gpu.hpp"
#include "sort/gpu/gpu_error.hpp"

namespace spillway {

namespace {

// Of a block: chunk-local ids are 4 bytes, and terms, lengths and ids of documents take about as much again.
constexpr std::size_t kBlockBytesPerRecord = 8;
constexpr std::size_t kRecordsPerString = 8;
constexpr std::size_t kBytesPerString = 8;
constexpr std::size_t kRecordsPerDocument = 100;

constexpr double kShareOfFree = 0.8;  // other programs, and what the driver takes for streams and modules
constexpr double kMostOfFree = 0.95;  // an arena of all that is free is not to be had
constexpr std::size_t kLeastStaging = std::size_t{4} << 20, kMostStaging = std::size_t{256} << 20;

std::size_t free_on_all(const std::vector<GpuInfo>& gpus) {
  std::size_t least = ~std::size_t{0};
  for (const GpuInfo& gpu : gpus) least = std::min(least, free_device_bytes(gpu.id));
  return least;
}

}  // namespace

VisitSize usual_visit(std::size_t block_bytes, bool positions) {
  VisitSize size;
  size.positions = positions;
  size.occurrences = block_bytes / (kBlockBytesPerRecord + (positions ? 4 : 0)) + 1;
  size.strings = size.occurrences / kRecordsPerString + 1;
  size.string_bytes = size.strings * kBytesPerString;
  size.documents = size.occurrences / kRecordsPerDocument + 1;
  return size;
}

GpuJobPlan::GpuJobPlan(const IndexOptions& options, const ModeChoice& choice, std::size_t memory_bytes)
    : record_name_(options.record_sorter),
      strings_(choose_gpu_string_sorter(options.string_sorter)),
      through_host_(find_device_string_sorter(strings_.name) == nullptr),
      visits_(choice.mode == IndexMode::kGpuPlus && !through_host_ ? 2 : 1),
      positions_(options.content.positions) {
  const std::size_t free = free_on_all(choice.gpus);
  std::size_t bytes = static_cast<std::size_t>(static_cast<double>(free) * kShareOfFree);
  memory_reason_ = "four fifths of what is free";
  if (options.gpu.memory_bytes != 0) {
    const auto most = static_cast<std::size_t>(static_cast<double>(free) * kMostOfFree);
    memory_reason_ =
        options.gpu.memory_bytes > most ? "nearly all that is free; --gpu-memory allows more" : "as --gpu-memory says";
    bytes = std::min<std::size_t>(options.gpu.memory_bytes, most);
  }
  share_bytes_ = bytes / visits_ / kDeviceAlignment * kDeviceAlignment;
  for (const GpuInfo& gpu : choice.gpus) sorter_.gpus.push_back(gpu.id);
  sorter_.visits = visits_;
  sorter_.string_sorter = strings_.name;
  sorter_.staging_bytes = through_host_ ? 0 : std::clamp(memory_bytes / 16, kLeastStaging, kMostStaging);
  check_gpus();
}

void GpuJobPlan::check_gpus() const {
  if (through_host_ && (sorter_.gpus.size() != 1 || sorter_.gpus.front() != first_usable_gpu())) {
    throw UsageError("--string-sorter " + strings_.name +
                     " sorts on the first usable GPU and no other: leave out --gpu");
  }
  if (takes_chunk(least_chunk())) return;
  throw GpuMemoryError("a visit has " + std::to_string(share_bytes_) +
                       " bytes of GPU memory, too little for the smallest block: raise --gpu-memory");
}

bool GpuJobPlan::takes_chunk(const ChunkLimits& limits) const {
  if (through_host_) return true;
  VisitSize size;
  size.chunks = 1;
  size.strings = limits.table_entries;
  size.string_bytes = size.strings * kBytesPerString;
  size.occurrences = limits.stream_words / (positions_ ? 2 : 1);
  size.documents = size.occurrences / kRecordsPerDocument + 1;
  size.positions = positions_;
  return device_bytes(size, record_name_ == "auto" ? "gpu-radix" : record_name_) <= share_bytes_;
}

GpuSortPlan GpuJobPlan::choose_records(std::size_t host_bytes, std::uint64_t total_bytes) const {
  GpuSortPlanInput input;
  input.host_block_bytes = host_bytes;
  input.arena_bytes = share_bytes_;
  input.total_block_bytes = total_bytes;
  const VisitSize size = usual_visit(host_bytes, positions_);
  const auto per_byte = [&](const char* records) {
    if (through_host_) return 3.0;
    return static_cast<double>(device_bytes(size, records)) / static_cast<double>(host_bytes);
  };
  input.radix_device_bytes = per_byte("gpu-radix");
  input.bitonic_device_bytes = per_byte("gpu-bitonic");
  input.records_per_block_byte = static_cast<double>(size.occurrences) / static_cast<double>(host_bytes);
  return choose_gpu_record_sorter(record_name_, input, GpuSortCosts{});
}

std::size_t GpuJobPlan::device_bytes(const VisitSize& size, const std::string& record_sorter) const {
  GpuSorterOptions options = sorter_;
  options.record_sorter = record_sorter;
  return visit_device_bytes(size, options);
}

GpuSorterOptions GpuJobPlan::sorter_options(const GpuSortPlan& chosen, unsigned threads) const {
  GpuSorterOptions options = sorter_;
  options.record_sorter = chosen.sorter.name;
  options.threads = threads;
  const std::size_t usual = device_bytes(usual_visit(chosen.block_bytes, positions_), chosen.sorter.name);
  options.arena_bytes = visits_ * std::min(share_bytes_, device_aligned(usual * 2));
  return options;
}

std::string GpuJobPlan::describe() const {
  return "GPU memory: at most " + std::to_string(share_bytes_ * visits_) + " bytes on each GPU (" + memory_reason_ +
         "), for " + std::to_string(visits_) + (visits_ == 1 ? " visit" : " visits") + " at a time\n";
}

}  // namespace spillway
