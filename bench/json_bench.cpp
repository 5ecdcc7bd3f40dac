// Rates of reading JSONL on one core: unescaping strings with each instruction set, and converting records to
// documents.
#include <benchmark/benchmark.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/run_benchmarks.hpp"
#include "bench/simdjson_reader.hpp"
#include "bench/stage_input.hpp"
#include "corpora/json/fast_parser.hpp"
#include "corpora/reader/plain_range.hpp"

namespace spillway {
namespace {

// Records through the fast parser, without checks of their fields.
void unescape(benchmark::State& state, UnescapeFunction function) {
  const FieldTable table{FieldNames()};
  FastJsonParser parser(table, function);
  const std::string_view bytes = stage_input().bytes();
  std::vector<char> scratch(bytes.size() + kRecordPadding);
  for (auto _ : state) {
    for (std::size_t begin = 0; begin < bytes.size();) {
      const auto record_bytes = parser.parse(bytes.substr(begin), scratch.data());
      if (!record_bytes) {
        throw std::runtime_error("the fast parser refuses the record at byte " + std::to_string(begin));
      }
      begin += *record_bytes + 1;
    }
  }
  count_input(state);
}

struct CountingSink final : DocumentSink {
  std::size_t documents = 0, text_bytes = 0;
  void begin(const DocumentFields&, const SourcePlace&) override { ++documents; }
  void text(std::string_view fragment) override { text_bytes += fragment.size(); }
  void end() override {}
  void skip(SkipReason, const SourcePlace&, std::string_view) override {}
  void consumed(std::uint64_t) override {}
};

// Passes the input to parse(block, sink) in steps of one read, and checks that every document arrived.
template <typename Parse>
void parse_in_steps(benchmark::State& state, Parse parse) {
  const std::string_view bytes = stage_input().bytes();
  for (auto _ : state) {
    CountingSink sink;
    for (std::size_t begin = 0; begin < bytes.size();) {
      const std::size_t last = std::min(begin + PlainRangeReader::kStepBytes, bytes.size()) - 1;
      const std::size_t end = bytes.find('\n', last) + 1;
      parse(bytes.substr(begin, end - begin), sink);
      begin = end;
    }
    if (sink.documents != stage_input().documents.size()) throw std::runtime_error("documents are missing");
    state.counters["text_bytes"] = static_cast<double>(sink.text_bytes);
  }
  count_input(state);
}

// The work of a parsing thread: check UTF-8, split into records, parse them and check their fields.
void documents(benchmark::State& state) {
  StageJsonl jsonl(stage_input().bytes().size());
  parse_in_steps(state, [&](std::string_view block, DocumentSink& sink) { jsonl.parser.parse_block(block, {}, sink); });
}

void simdjson_documents(benchmark::State& state, SimdjsonReader::Interface interface) {
  SimdjsonReader reader(interface);
  state.SetLabel(reader.instruction_set());
  parse_in_steps(state, [&](std::string_view block, DocumentSink& sink) { reader.parse_block(block, sink); });
}

void add_all() {
  benchmark::RegisterBenchmark("json/fast/sse2", unescape, unescape_string_sse2);
  if (__builtin_cpu_supports("avx2") != 0) {
    benchmark::RegisterBenchmark("json/fast/avx2", unescape, unescape_string_avx2);
  }
  if (has_unescape_avx512()) benchmark::RegisterBenchmark("json/fast/avx512", unescape, unescape_string_avx512);
  benchmark::RegisterBenchmark("json/documents", documents);
  benchmark::RegisterBenchmark("json/simdjson/dom", simdjson_documents, SimdjsonReader::Interface::kDom);
  benchmark::RegisterBenchmark("json/simdjson/on-demand", simdjson_documents, SimdjsonReader::Interface::kOnDemand);
}

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) {
  spillway::add_all();
  return spillway::run_benchmarks(argc, argv);
}
