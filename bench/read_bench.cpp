// The rate of reading the input, and the rate of copying memory, which limits every stage that passes over the bytes.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "bench/stage_input.hpp"
#include "corpora/reader/plain_range.hpp"
#include "io/base/bytes.hpp"
#include "io/file/file_system.hpp"
#include "io/file/posix_file_system.hpp"
#include "tools/bench/scratch.hpp"

namespace spillway {
namespace {

// Copies between two buffers of the size of the input, both touched before.
void copy_memory(benchmark::State& state) {
  const std::string_view bytes = stage_input().bytes();
  std::vector<char> target(bytes.size());
  for (auto _ : state) {
    std::memcpy(target.data(), bytes.data(), bytes.size());
    benchmark::DoNotOptimize(target.data());
    benchmark::ClobberMemory();
  }
  count_input(state);
}

// Reads from the page cache into a buffer that stays in the processor's cache.
void read_file_steps(benchmark::State& state) {
  const BenchScratch scratch(posix_file_system(), ".");
  std::string path = stage_input().path;
  if (path.empty()) {
    path = scratch / "spillway-input.jsonl";
    const auto file = posix_file_system().create(path);
    file->append(bytes_of(stage_input().bytes()));
    file->close();
  }
  const auto file = posix_file_system().open(path);
  std::vector<std::uint8_t> buffer(PlainRangeReader::kStepBytes);
  for (auto _ : state) {
    std::uint64_t at = 0;
    while (const std::size_t count = file->read_at(at, buffer)) at += count;
    benchmark::DoNotOptimize(buffer.data());
  }
  count_input(state);
}

BENCHMARK(copy_memory)->Name("copy");
BENCHMARK(read_file_steps)->Name("read");

}  // namespace
}  // namespace spillway

BENCHMARK_MAIN();
