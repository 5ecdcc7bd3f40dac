// Rates of the parsing stages on one core, with every instruction set of this CPU: finding the edges of words; edges,
// keys and a lookup in the term table; tokens as a chunk of tokens keeps them; documents to chunks, in all forms; and
// JSON lines to chunks of tokens, with and without packing words of escaped text.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/run_benchmarks.hpp"
#include "bench/stage_input.hpp"
#include "indexer/chunk/term_table.hpp"
#include "indexer/parse/make_chunk_parser.hpp"
#include "text/scan/token_kernels.hpp"
#include "text/scan/word_kernels.hpp"
#include "text/scan/word_scanner.hpp"
#include "text/unicode/words.hpp"

namespace spillway {
namespace {

constexpr std::size_t kBudgetBytes = std::size_t{1} << 40;

// Finds words in ranges of kScanBytes of each document. A word across the end of a range counts as two.
class EdgeFinder {
 public:
  explicit EdgeFinder(FindEdgesFunction find_edges)
      : find_edges_(find_edges), lowered_(kScanBytes + kScanPadding), edges_(kScanBytes + kScanPadding) {}

  // Calls take(lowered text, edges of its words) for every range of every document.
  template <typename Take>
  void scan(Take&& take) {
    for (const StageDocument& document : stage_input().documents) {
      for (std::size_t at = 0; at < document.text.size(); at += kScanBytes) {
        const std::size_t bytes = std::min(kScanBytes, document.text.size() - at);
        const auto* const text = reinterpret_cast<const std::uint8_t*>(document.text.data()) + at;
        std::size_t count = find_edges_(text, bytes, 0, lowered_.data(), edges_.data());
        if (count % 2 != 0) edges_[count++] = static_cast<std::uint16_t>(bytes);
        take(lowered_.data(), std::span<const std::uint16_t>(edges_.data(), count));
      }
    }
  }

 private:
  FindEdgesFunction find_edges_;
  std::vector<std::uint8_t> lowered_;
  std::vector<std::uint16_t> edges_;
};

void find_edges(benchmark::State& state, WordKernels path) {
  EdgeFinder finder(path.find_edges);
  std::size_t edges = 0;
  for (auto _ : state) {
    finder.scan([&](const std::uint8_t*, std::span<const std::uint16_t> found) { edges += found.size(); });
    benchmark::DoNotOptimize(edges);
  }
  count_input(state);
}

void pack_tokens(benchmark::State& state, TokenKernel path) {
  std::vector<std::uint8_t> tokens(kScanBytes + kScanPadding);
  std::size_t words = 0;
  for (auto _ : state) {
    for (const StageDocument& document : stage_input().documents) {
      for (std::size_t at = 0; at < document.text.size(); at += kScanBytes) {
        const auto* const text = reinterpret_cast<const std::uint8_t*>(document.text.data()) + at;
        words += path.pack_tokens(text, std::min(kScanBytes, document.text.size() - at), tokens.data()).count;
      }
    }
    benchmark::DoNotOptimize(words);
  }
  count_input(state);
}

// The first words of the input, as many as a chunk's table holds.
void fill_table(TermTable& table, const WordKernels& path) {
  EdgeFinder(path.find_edges).scan([&](const std::uint8_t* lowered, std::span<const std::uint16_t> edges) {
    for (std::size_t i = 0; i < edges.size(); i += 2) {
      const std::string_view word(reinterpret_cast<const char*>(lowered) + edges[i],
                                  std::size_t{edges[i + 1]} - edges[i]);
      if (table.has_room(word.size()) && table.find(word, KeySpace::kTerm) == nullptr) {
        table.insert(word, KeySpace::kTerm);
      }
    }
  });
}

// Keys of the words, and the first probe of the table. Words that it does not find take a slower path.
void look_up(benchmark::State& state, WordKernels path) {
  MemoryBudget budget(kBudgetBytes);
  TermTable table(budget, stage_plan(ChunkForm::kPostings).chunk.table_entries, std::size_t{1} << 20);
  fill_table(table, path);
  EdgeFinder finder(path.find_edges);
  TokenKeys keys;
  std::size_t words = 0, found = 0;
  for (auto _ : state) {
    finder.scan([&](const std::uint8_t* lowered, std::span<const std::uint16_t> edges) {
      for (std::size_t at = 0; at < edges.size(); at += 2 * kTokenBatch) {
        const auto batch = edges.subspan(at, std::min(2 * kTokenBatch, edges.size() - at));
        path.load_keys(lowered, batch, table.slot_table(KeySpace::kTerm), keys);
        for (std::size_t i = 0; i < batch.size() / 2; ++i) {
          found += keys.low[i] != 0 && table.is_entry(keys.guess[i], {keys.low[i], keys.high[i], keys.bytes[i]});
        }
        words += batch.size() / 2;
      }
    });
  }
  count_input(state);
  state.counters["found"] = words == 0 ? 0 : static_cast<double>(found) / static_cast<double>(words);
}

// Words that are not pure ASCII, in input order, to tokens: the slow path of the `unicode` tokenizer. A parser takes it
// only for long words and for words that its chunk's table does not have.
void split_unicode(benchmark::State& state) {
  std::vector<std::string> runs;
  WordScanner scanner(WordBytes::kWithHighBytes);
  const auto keep = [&](std::string_view run) {
    if (std::any_of(run.begin(), run.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
      runs.emplace_back(run);
    }
  };
  for (const StageDocument& document : stage_input().documents) {
    scanner.scan(document.text, keep);
    scanner.finish(keep);
  }
  UnicodeWords words;
  std::size_t tokens = 0;
  for (auto _ : state) {
    for (const std::string& run : runs) words.split(run, [&](std::string_view) { ++tokens; });
    benchmark::DoNotOptimize(tokens);
  }
  count_input(state);
  state.counters["runs"] = static_cast<double>(runs.size());
}

void parse(benchmark::State& state, ChunkForm form, Tokenizer tokenizer) {
  MemoryBudget budget(kBudgetBytes);
  ContentOptions content = stage_content();
  content.tokenizer = tokenizer;
  std::size_t documents = 0;
  for (auto _ : state) {
    parse_stage_input(form, content, budget, [&](ParsedChunk&& chunk) {
      documents += chunk.document_count - (chunk.first_document_open ? 1 : 0);
    });
  }
  if (documents != stage_input().documents.size() * static_cast<std::size_t>(state.iterations())) {
    throw std::runtime_error("parsing lost documents");
  }
  count_input(state);
}

void read(benchmark::State& state, bool packs_json) {
  MemoryBudget budget(kBudgetBytes);
  StageJsonl jsonl(stage_input().bytes().size());
  std::uint64_t tokens = 0;
  for (auto _ : state) {
    read_stage_input(jsonl, packs_json, budget, [&](ParsedChunk&& chunk) { tokens += chunk.occurrence_count; });
  }
  if (tokens != stage_token_count() * static_cast<std::uint64_t>(state.iterations())) {
    throw std::runtime_error("reading lost tokens");
  }
  count_input(state);
}

void add_all() {
  for (const WordKernels& path : all_word_kernels(WordBytes::kWithHighBytes)) {
    benchmark::RegisterBenchmark((std::string("edges/") + path.name).c_str(), find_edges, path);
    benchmark::RegisterBenchmark((std::string("lookup/") + path.name).c_str(), look_up, path);
  }
  for (const TokenKernel& path : all_token_kernels(WordBytes::kWithHighBytes)) {
    benchmark::RegisterBenchmark((std::string("tokens/") + path.name).c_str(), pack_tokens, path);
  }
}

BENCHMARK(split_unicode)->Name("split/unicode");
BENCHMARK_CAPTURE(parse, postings_unicode, ChunkForm::kPostings, Tokenizer::kUnicode);
BENCHMARK_CAPTURE(parse, postings_ascii, ChunkForm::kPostings, Tokenizer::kAscii);
BENCHMARK_CAPTURE(parse, occurrences_unicode, ChunkForm::kTables, Tokenizer::kUnicode);
BENCHMARK_CAPTURE(parse, tokens_unicode, ChunkForm::kTokens, Tokenizer::kUnicode);
BENCHMARK_CAPTURE(read, tokens_unescaped, false);
BENCHMARK_CAPTURE(read, tokens_packed, true);

}  // namespace
}  // namespace spillway

int main(int argc, char** argv) {
  spillway::add_all();
  return spillway::run_benchmarks(argc, argv);
}
