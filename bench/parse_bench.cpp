// Rates of the parsing stages on one core: edges of words, tokenizing into chunks in both forms. Bytes are those of the
// text.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/bench_text.hpp"
#include "indexer/chunk_parser.hpp"
#include "indexer/window_kernels.hpp"

namespace spillway {
namespace {

constexpr std::uint64_t kTextBytes = std::uint64_t{32} << 20;

const std::string& text() {
  static const std::string kText = bench_text(kTextBytes, GeneratedFormat::kLines);
  return kText;
}

void find_edges(benchmark::State& state, WindowKernels path) {
  std::vector<std::uint8_t> lowered(kWindowBytes + kWindowPadding);
  std::vector<std::uint16_t> edges(kWindowBytes + kWindowPadding);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text().data());
  for (auto _ : state) {
    for (std::size_t at = 0; at + kWindowBytes <= text().size(); at += kWindowBytes) {
      benchmark::DoNotOptimize(path.find_edges(bytes + at, kWindowBytes, 0, lowered.data(), edges.data()));
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text().size()) * state.iterations());
  state.SetLabel(path.name);
}

struct NoObserver final : ParseObserver {
  void skip(SkipReason, const SourcePlace&, std::string_view) override {}
  void consumed(std::uint64_t) override {}
};

void parse(benchmark::State& state, ChunkForm form, Tokenizer tokenizer) {
  MemoryBudget budget(std::size_t{2} << 30);
  ContentOptions options;
  options.tokenizer = tokenizer;
  const ChunkLimits limits;
  NoObserver observer;
  std::uint64_t occurrences = 0;
  for (auto _ : state) {
    const auto parser = make_chunk_parser(
        {form, options, limits, budget, observer, [&](ParsedChunk&& chunk) { occurrences += chunk.occurrence_count; }});
    for (std::size_t begin = 0; begin < text().size();) {
      const std::size_t end = std::min(text().find('\n', begin), text().size());
      parser->begin({}, {});
      parser->text(std::string_view(text()).substr(begin, end - begin));
      parser->end();
      begin = end + 1;
    }
    parser->finish_task();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(text().size()) * state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(occurrences));
}

void add_find_edges() {
  for (const WindowKernels& path : all_window_kernels(WordBytes::kWithHighBytes)) {
    benchmark::RegisterBenchmark((std::string("find_edges/") + path.name).c_str(), find_edges, path);
  }
}

BENCHMARK_CAPTURE(parse, postings_unicode, ChunkForm::kPostings, Tokenizer::kUnicode);
BENCHMARK_CAPTURE(parse, postings_ascii, ChunkForm::kPostings, Tokenizer::kAscii);
BENCHMARK_CAPTURE(parse, occurrences_unicode, ChunkForm::kOccurrences, Tokenizer::kUnicode);

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) {
  spillway::add_find_edges();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
