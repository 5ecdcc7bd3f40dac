// One pass of a block over a GPU: generated text, parsed to each form, or the whole of $SPILLWAY_BENCH_INPUT
// (stage_input.hpp) as tokens, becomes a run, whose sum is checked once. Gives milliseconds of the steps by the GPU's
// clock, of sort() and write_run() by the host's clock and of all its processors, and the bytes of the arena. Needs a
// GPU.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/run_benchmarks.hpp"
#include "bench/stage_input.hpp"
#include "corpora/synthetic/generate_text.hpp"
#include "indexer/gpu/sorter/gpu_lanes.hpp"
#include "indexer/parse/make_chunk_parser.hpp"
#include "io/base/stopwatch.hpp"
#include "io/file/memory_file.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/registry.hpp"

namespace spillway {
namespace {

constexpr std::size_t kBudgetBytes = std::size_t{1} << 40;
constexpr std::size_t kParserBytes = std::size_t{4} << 20;  // that one parser takes
constexpr std::size_t kStagingBytes = std::size_t{256} << 20;

struct NoObserver final : ParseObserver {
  void skip(SkipReason, const SourcePlace&, std::string_view) override {}
  void consumed(std::uint64_t) override {}
};

// One document per line.
std::string make_text(std::uint64_t bytes) {
  GenerateTextOptions options;
  options.total_bytes = bytes;
  options.format = GeneratedFormat::kLines;
  options.threads = std::max(1U, std::thread::hardware_concurrency());
  std::string text;
  text.reserve(bytes);
  generate_text(options, [&](std::string_view fragment) { text += fragment; });
  return text;
}

struct Shape {
  std::uint64_t text_bytes = 0;  // generated; 0: the stage input
  ChunkForm form = ChunkForm::kTokens;
  Positions positions = Positions::kNone;
  bool operator==(const Shape&) const = default;
};

struct Input {
  MemoryBudget budget{kBudgetBytes};
  Shape shape;
  Block block;
  BlockPassSize size;

  explicit Input(const Shape& of) : shape(of) {
    if (shape.text_bytes == 0) {
      parse_stage_input(shape.form, content(), budget,
                        [&](ParsedChunk&& chunk) { block.chunks.push_back(std::move(chunk)); });
    } else {
      parse_generated();
    }
    size.positions = shape.positions == Positions::kStored;
    for (const ParsedChunk& chunk : block.chunks) size += block_pass_size(chunk, shape.positions);
  }

 private:
  void parse_generated() {
    const std::string text = make_text(shape.text_bytes);
    std::vector<std::size_t> begins{0};
    while (begins.back() != text.size()) {
      const std::size_t end = text.find('\n', std::min(begins.back() + kParserBytes, text.size() - 1));
      begins.push_back(std::min(end, text.size() - 1) + 1);
    }
    std::vector<std::vector<ParsedChunk>> chunks(begins.size() - 1);
    tbb::parallel_for(std::size_t{0}, chunks.size(), [&](std::size_t i) {
      chunks[i] = parse(std::string_view(text).substr(begins[i], begins[i + 1] - begins[i]));
    });
    for (auto& some : chunks) std::move(some.begin(), some.end(), std::back_inserter(block.chunks));
  }
  ContentOptions content() const {
    ContentOptions content = stage_content();
    content.positions = shape.positions == Positions::kStored;
    return content;
  }
  std::vector<ParsedChunk> parse(std::string_view lines) {
    const ContentOptions options = content();
    const ChunkLimits limits;
    NoObserver observer;
    std::vector<ParsedChunk> chunks;
    const auto parser = make_chunk_parser({shape.form, options, limits, budget, observer,
                                           [&](ParsedChunk&& chunk) { chunks.push_back(std::move(chunk)); }});
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      parser->begin({}, {});
      parser->text(line);
      parser->end();
      lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    parser->finish_task();
    return chunks;
  }
};

Input& input_of(const Shape& shape) {
  static std::unique_ptr<Input> kept;
  if (kept == nullptr || !(kept->shape == shape)) {
    kept.reset();
    kept = std::make_unique<Input>(shape);
  }
  return *kept;
}

GpuSorterOptions sorter_options(const Input& input, std::string_view strings) {
  GpuSorterOptions options;
  options.form = input.shape.form;
  for (const GpuInfo& gpu : find_gpus().gpus) {
    if (gpu.is_usable() && options.gpus.empty()) options.gpus.push_back(gpu.id);
  }
  options.record_sorter = "gpu-radix";
  options.string_sorter = strings;
  options.lanes = options.arenas = 1;
  options.staging_bytes = kStagingBytes;
  options.arena_bytes = block_pass_device_bytes(input.size, options);
  return options;
}

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Seconds, summed over iterations.
struct Sums {
  PassSeconds steps{};
  double sort = 0, write = 0, sort_processors = 0, write_processors = 0;

  void run_pass(Input& input, GpuLane& lane, const BlockSortOptions& options) {
    MemoryFile file(input.budget, "the benchmark's run");
    BlockSortStats stats;
    const Stopwatch watch;
    const double processors = processor_seconds();
    lane.sort(input.block, options, stats);
    const double sorted = watch.seconds(), sorted_processors = processor_seconds();
    lane.write_run(input.block, file, options, stats);
    sort += sorted;
    write += watch.seconds() - sorted;
    sort_processors += sorted_processors - processors;
    write_processors += processor_seconds() - sorted_processors;
    const PassSeconds seconds = lane.seconds();
    for (std::size_t i = 0; i < kPassSteps; ++i) steps[i] += seconds[i];
  }
};

void measure(benchmark::State& state, const Shape& shape, std::string_view strings) {
  Input& input = input_of(shape);
  const GpuSorterOptions options = sorter_options(input, strings);
  const auto lanes = make_gpu_lanes(options, input.budget);
  BlockSortOptions run;
  run.positions = shape.positions;
  run.threads = std::max(1U, std::thread::hardware_concurrency());
  Sums().run_pass(input, *lanes.front(), run);  // with the check
  run.check_sum = false;                        // as for runs that stay in memory
  Sums sums;
  for (auto _ : state) {
    const double before = sums.sort + sums.write;
    sums.run_pass(input, *lanes.front(), run);
    state.SetIterationTime(sums.sort + sums.write - before);
  }
  const auto tell = [&](std::string_view name, double seconds) {
    state.counters[std::string(name) + "_ms"] =
        seconds * 1000 / static_cast<double>(std::max<benchmark::IterationCount>(state.iterations(), 1));
  };
  for (std::size_t i = 0; i < kPassSteps; ++i) tell(kPassStepNames[i], sums.steps[i]);
  tell("host_sort", sums.sort);
  tell("host_write", sums.write);
  tell("processors_sort", sums.sort_processors);
  tell("processors_write", sums.write_processors);
  const auto tokens = static_cast<double>(input.size.occurrences);
  state.counters["tokens"] = tokens;
  state.counters["arena_bytes_per_token"] = static_cast<double>(options.arena_bytes) / tokens;
  state.counters["upload_bytes_per_token"] = static_cast<double>(input.size.token_bytes) / tokens;
}

void add(const Shape& shape, std::string_view strings) {
  const std::string name = std::string("block_pass/") + (shape.form == ChunkForm::kTokens ? "tokens" : "occurrences") +
                           (shape.positions == Positions::kStored ? "/positions" : "") + "/" +
                           (shape.text_bytes == 0 ? "input" : std::to_string(shape.text_bytes >> 20) + "MiB") + "/" +
                           std::string(strings);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { measure(state, shape, strings); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(5);
}

void add_all() {
  if (find_gpus().state != GpuState::kUsable) return;
  for (const Positions positions : {Positions::kNone, Positions::kStored}) {
    for (const DeviceStringSorter* sorter : device_string_sorters()) {
      add({0, ChunkForm::kTokens, positions}, sorter->name());
    }
  }
  for (const std::uint64_t mebibytes : {64, 600, 1800}) {
    for (const Positions positions : {Positions::kNone, Positions::kStored}) {
      for (const ChunkForm form : {ChunkForm::kTokens, ChunkForm::kTables}) {
        for (const DeviceStringSorter* sorter : device_string_sorters()) {
          add({mebibytes << 20, form, positions}, sorter->name());
        }
      }
    }
  }
}

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) {
  spillway::add_all();
  return spillway::run_benchmarks(argc, argv);
}
