// Rates of the postings codecs on one core: lists to blocks of the index, and varints of a run back to documents.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "io/base/varint.hpp"
#include "io/postings/list_encoder.hpp"
#include "io/run/postings_decoder.hpp"

namespace spillway {
namespace {

constexpr std::uint32_t kDocuments = std::uint32_t{1} << 22;

// A list with mean gap `gap`; term frequencies are mostly 1.
struct List {
  std::vector<std::uint32_t> documents, frequencies;
  std::vector<std::uint8_t> varints;
  std::uint64_t occurrences = 0;

  explicit List(std::uint32_t gap) {
    std::mt19937 engine(gap);
    const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
    std::uint32_t previous = 0;
    for (std::uint32_t d = random() % gap; d < kDocuments; d += 1 + random() % (2 * gap)) {
      documents.push_back(d);
      frequencies.push_back(random() % 4 == 0 ? 1 + random() % 7 : 1);
      occurrences += frequencies.back();
      const bool single = frequencies.back() == 1;
      std::uint8_t bytes[2 * kMaxVarintBytes];
      std::uint8_t* end = write_varint(bytes, std::uint64_t{d - previous} << 1 | (single ? 1 : 0));
      if (!single) end = write_varint(end, frequencies.back());
      varints.insert(varints.end(), bytes, end);
      previous = d;
    }
  }
};

void encode_list(benchmark::State& state) {
  const List list(static_cast<std::uint32_t>(state.range(0)));
  const std::vector<std::uint8_t> length_codes(kDocuments, 100);
  for (auto _ : state) {
    ListEncoder encoder(length_codes);
    encoder.begin("term");
    encoder.add(list.documents, list.frequencies);
    encoder.end();
    benchmark::DoNotOptimize(encoder.take());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(list.documents.size()) * state.iterations());
}

void decode_run_list(benchmark::State& state) {
  const List list(static_cast<std::uint32_t>(state.range(0)));
  RunEntry entry;
  entry.term = "term";
  entry.document_count = static_cast<std::uint32_t>(list.documents.size());
  entry.occurrence_count = list.occurrences;
  entry.last_document = list.documents.back();
  entry.postings = list.varints;
  std::vector<std::uint32_t> documents, frequencies;
  for (auto _ : state) {
    decode_postings(entry, "a benchmark", documents, frequencies);
    benchmark::DoNotOptimize(documents.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(list.documents.size()) * state.iterations());
}

BENCHMARK(encode_list)->Arg(2)->Arg(30)->Arg(1000);
BENCHMARK(decode_run_list)->Arg(2)->Arg(30)->Arg(1000);

}  // namespace
}  // namespace spillway

BENCHMARK_MAIN();
