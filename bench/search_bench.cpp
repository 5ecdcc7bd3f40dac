// Rates of search on one core: decoding blocks of a list, and queries over a made-up index, pruned and exhaustive.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <random>

#include "io/file/posix_file_system.hpp"
#include "io/index/list_blocks.hpp"
#include "io/index/writer.hpp"
#include "search/block_max_ranker.hpp"
#include "search/exhaustive_ranker.hpp"
#include "tools/bench/scratch.hpp"

namespace spillway {
namespace {

constexpr std::uint32_t kDocuments = std::uint32_t{1} << 20;

// An index of short documents, with a term "g2", "g4", "g8", ... for each mean gap, in random documents.
class MadeUpIndex {
 public:
  MadeUpIndex() {
    ContentOptions options;
    options.tokenizer = Tokenizer::kAscii;
    IndexWriter writer(posix_file_system(), scratch_ / "index", options);
    std::mt19937 random(1);
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> lists(16);
    std::vector<std::uint32_t> lengths(kDocuments);
    for (std::uint32_t d = 0; d < kDocuments; ++d) {
      for (std::size_t i = 0; i < lists.size(); ++i) {
        if ((random() >> (32 - (i + 1))) != 0) continue;
        const std::uint32_t frequency = random() % 8 == 0 ? 2 + random() % 4 : 1;
        lists[i].emplace_back(d, frequency);
        lengths[d] += frequency;
      }
    }
    append(writer, lists, lengths);
    index_ = std::make_unique<IndexReader>(posix_file_system(), scratch_ / "index");
  }
  const IndexReader& index() const { return *index_; }

 private:
  using Lists = std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>;
  static void append(IndexWriter& writer, const Lists& lists, const std::vector<std::uint32_t>& lengths) {
    std::vector<std::uint8_t> codes;
    for (const std::uint32_t length : lengths) {
      RunDocument document;
      document.length = length;
      writer.append_document(document);
      codes.push_back(length_code(length));
    }
    IndexTotals totals;
    totals.source_document_count = kDocuments;
    std::map<std::string, std::size_t> order;  // terms must ascend
    for (std::size_t i = 0; i < lists.size(); ++i) order["g" + std::to_string(2u << i)] = i;
    ListEncoder encoder(codes);
    for (const auto& [term, i] : order) {
      encoder.begin(term);
      DocumentWeight weight;
      for (const auto& [document, frequency] : lists[i]) {
        encoder.add({&document, 1}, {&frequency, 1});
        weight.add(document, frequency);
      }
      encoder.end();
      totals.source_sum.add(hash_term(term), weight.take());
    }
    writer.append_lists(encoder.take());
    writer.finish(totals);
  }
  BenchScratch scratch_{posix_file_system(), "."};
  std::unique_ptr<IndexReader> index_;
};

const IndexReader& made_up_index() {
  static const MadeUpIndex made;
  return made.index();
}

void decode_list(benchmark::State& state, bool with_frequencies) {
  const TermEntry entry = *made_up_index().find_term("g" + std::to_string(state.range(0)));
  ListBlocks blocks(made_up_index(), entry);
  std::uint32_t documents[kPostingsBlock], frequencies[kPostingsBlock];
  for (auto _ : state) {
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      blocks.decode_documents(block, documents);
      if (with_frequencies) blocks.decode_frequencies(block, frequencies);
      benchmark::DoNotOptimize(documents);
      benchmark::DoNotOptimize(frequencies);
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(entry.document_count) * state.iterations());
}

// A query of two terms with the given mean gaps.
template <typename AnyRanker>
void search(benchmark::State& state) {
  const Bm25 bm25(made_up_index().counts(), {});
  AnyRanker ranker(made_up_index(), bm25);
  const Query query = query_of({{"g" + std::to_string(state.range(0)), 1}, {"g" + std::to_string(state.range(1)), 1}});
  for (auto _ : state) benchmark::DoNotOptimize(ranker.best(query, 10));
  state.counters["scored"] =
      static_cast<double>(ranker.work().scored_postings) / static_cast<double>(state.iterations());
}

BENCHMARK_CAPTURE(decode_list, documents, false)->Arg(2)->Arg(32)->Arg(1024);
BENCHMARK_CAPTURE(decode_list, with_frequencies, true)->Arg(2)->Arg(32)->Arg(1024);
BENCHMARK(search<BlockMaxRanker>)->Args({2, 4})->Args({2, 1024})->Args({1024, 4096})->Unit(benchmark::kMicrosecond);
BENCHMARK(search<ExhaustiveRanker>)->Args({2, 4})->Args({2, 1024})->Args({1024, 4096})->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace spillway

BENCHMARK_MAIN();
