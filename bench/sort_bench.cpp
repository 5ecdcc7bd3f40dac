// Rates of the CPU sorters. The result of every sorter is checked once before it is timed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/bench_text.hpp"
#include "bench/run_benchmarks.hpp"
#include "sort/interface/record_sorter.hpp"
#include "sort/interface/string_sorter.hpp"
#include "sort/sorters.hpp"

namespace spillway {
namespace {

constexpr std::size_t kRecords = std::size_t{1} << 22;
constexpr std::uint64_t kWordBytes = std::uint64_t{8} << 20;

void records(benchmark::State& state, const RecordSorter* sorter, unsigned bits) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> keys(kRecords);
  for (std::uint64_t& key : keys) key = random() >> (64 - bits);
  std::vector<std::uint8_t> scratch(sorter->scratch_bytes(kRecords, {0, bits}));
  std::vector<std::uint64_t> sorted = keys, expected = keys;
  std::sort(expected.begin(), expected.end());
  sorter->sort(sorted, {0, bits}, scratch);
  if (sorted != expected) throw std::logic_error(std::string(sorter->name()) + " does not sort");
  for (auto _ : state) {
    state.PauseTiming();
    sorted = keys;
    state.ResumeTiming();
    sorter->sort(sorted, {0, bits}, scratch);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(kRecords) * state.iterations());
}

// The words of a text in order; many are equal.
struct Words {
  std::string text = bench_text(kWordBytes, GeneratedFormat::kLines);
  std::vector<StringRef> refs;
  Words() {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
      if (end != begin) {
        refs.push_back(
            {reinterpret_cast<const std::uint8_t*>(text.data()) + begin, static_cast<std::uint32_t>(end - begin), 0});
      }
      begin = end + 1;
    }
  }
};

void strings(benchmark::State& state, const StringSorter* sorter) {
  static const Words kWords;
  const auto& refs = kWords.refs;
  std::vector<std::uint32_t> order(refs.size());
  std::vector<std::uint8_t> scratch(sorter->scratch_bytes(refs.size()));
  sorter->sort(refs, order, {}, scratch);
  const bool ordered = std::is_sorted(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return refs[a].view() != refs[b].view() ? refs[a].view() < refs[b].view() : a < b;
  });
  if (!ordered) throw std::logic_error(std::string(sorter->name()) + " does not sort");
  for (auto _ : state) sorter->sort(refs, order, {}, scratch);
  state.SetItemsProcessed(static_cast<std::int64_t>(refs.size()) * state.iterations());
}

void add_all() {
  for (const RecordSorter* sorter : record_sorters()) {
    for (const unsigned bits : {24U, 40U, 64U}) {
      const std::string name = "records/" + std::string(sorter->name()) + "/" + std::to_string(bits) + "_bits";
      benchmark::RegisterBenchmark(name.c_str(), records, sorter, bits)->UseRealTime();
    }
  }
  for (const StringSorter* sorter : string_sorters()) {
    benchmark::RegisterBenchmark(("words/" + std::string(sorter->name())).c_str(), strings, sorter)->UseRealTime();
  }
}

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) {
  spillway::add_all();
  return spillway::run_benchmarks(argc, argv);
}
