#include "tools/bench/paper/item.hpp"

namespace spillway {

namespace {

constexpr const char* k8800 = "NVIDIA 8800 GT, 511 MB";

PaperItem drawing(const std::string& id, const std::string& title) {
  return {id, title, "", "", "A drawing: there is nothing to measure."};
}

PaperSeries column(const std::string& name, const std::vector<double>& seconds) {
  static const std::vector<std::string> kSizes{"0.81", "1.63", "3.27", "6.55", "13.10", "26.21"};
  PaperSeries series{.name = name, .unit = "s", .points = {}};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    series.points.push_back({kSizes[i] + " million documents", seconds[i]});
  }
  return series;
}

std::vector<PaperSeries> table_2() {
  return {column("Index_cpu, parse and sort", {42.96, 94.51, 185.24, 394.57, 783.56, 1676.82}),
          column("Index_cpu, merge", {16.87, 35.50, 88.75, 193.47, 482.38, 1089.26}),
          column("Index_gpu, parse and sort", {12.61, 24.99, 52.04, 107.98, 221.36, 456.49}),
          column("Index_gpu+, parse and sort", {9.02, 20.27, 38.09, 73.96, 151.59, 346.88}),
          column("Index_gpu and Index_gpu+, merge", {19.87, 42.07, 100.90, 244.68, 599.84, 1291.78})};
}

std::vector<PaperSeries> table_1() {
  const auto series = [](const std::string& name, const std::vector<double>& counts) {
    PaperSeries one{.name = name, .unit = "events", .points = {}};
    for (std::size_t i = 0; i < counts.size(); ++i) {
      one.points.push_back({"2^" + std::to_string(20 + 2 * i), counts[i]});
    }
    return one;
  };
  return {series("bitonic, memory transactions", {796800, 4119680, 20223360, 101866786}),
          series("quicksort, memory transactions", {4446802, 18438423, 85843422}),
          series("radix, memory transactions", {965791, 3862644, 15447561}),
          series("bitonic, memory contention", {34350, 151592, 666044, 2912926}),
          series("quicksort, memory contention", {123437, 379967, 1379155}),
          series("radix, memory contention", {132652, 520656, 2081467}),
          series("bitonic, divergent paths", {0, 0, 0, 0}),
          series("quicksort, divergent paths", {272904, 1126038, 1126038}),
          series("radix, divergent paths", {29399, 122667, 492016})};
}

}  // namespace

Paper capannini_2012() {
  const std::vector<std::string> modes{"cpu:cpu-quick@1", "cpu+", "gpu:gpu-bitonic", "gpu+:gpu-bitonic"};
  return {
      .name = "capannini2012",
      .title = "Capannini, Silvestri, Baraglia: Sorting on GPUs for Large Scale Datasets: A Thorough Comparison, 2012",
      .items = {
          drawing("figure 1", "A bitonic sorting network"),
          drawing("figure 2", "A network of 16 elements"),
          drawing("figure 3", "A stream of kernels"),
          drawing("figure 4", "Partitions of steps"),
          {"section 6.1",
           "A table without a number: costs of the quicksort's three kernels in the K-model",
           "",
           "Transactions: n/k + 2, 4n/k^2 and n/k + n, each log n times. bench/sort_counters.py evaluates their sum as "
           "the model's figure of gpu-quick in figure 6.",
           "Time and computation of the model: the profiler counts nothing that they predict.",
           {},
           {},
           "bench/sort_counters.py"},
          {"table 1",
           "Memory transactions, conflicts of banks and divergence of three sorts",
           k8800,
           "bench/sort_counters.py runs gpu-bitonic, gpu-quick, gpu-radix:satish and gpu-radix under NVIDIA's "
           "profiler, whose counters a program cannot read by itself. A transaction there has 32 bytes, and keys have "
           "64 bits. docs/papers.md has its table.",
           "",
           table_1(),
           {},
           "bench/sort_counters.py"},
          {"figure 5",
           "Time by size and distribution",
           k8800,
           "20 arrays of each distribution, as in the paper (3 with --quick), each sorted once. Records of 64 bits, "
           "sorted by all of them and by 32. cpu-quick shows how a quicksort's time follows the distribution on the "
           "CPU, gpu-quick on the GPU.",
           "The paper prints no numbers.",
           {},
           {KeysRun{.sorters = {"gpu-bitonic", "gpu-quick", "gpu-radix:satish", "gpu-radix", "cpu-quick", "cpu-radix"},
                    .distributions = {"uniform", "gaussian", "zipfian", "all-zero"},
                    .first_power = 18,
                    .bits = {64, 32},
                    .arrays = 20}}},
          {"figure 6",
           "Memory transactions that the K-model predicts",
           k8800,
           "bench/sort_counters.py evaluates the model for gpu-bitonic and gpu-quick beside the transactions that it "
           "counts, with k = 32 keys of 64 bits a row and tiles of 2^13 keys. The paper has k = 16 and sizes up to a "
           "GPU's memory.",
           "The paper prints no numbers.",
           {},
           {},
           "bench/sort_counters.py"},
          drawing("figure 7", "Three indexers in pseudo code"),
          {"table 2",
           "Time of the indexers over the size of the collection",
           "Not named; GPU: " + std::string(k8800),
           "Generated text of about 1.6 KB a document, each size twice the one before; 'ingest' is parse and sort, "
           "'rest' is merge, write and sync. cpu:cpu-quick@1 is Index_cpu; cpu+ is its fair opponent, with all threads "
           "and its own sorter. --text FILE takes documents of a file instead.",
           "The paper's crawl is not available. Sizes are smaller, and documents shorter.",
           table_2(),
           {ModesRun{.modes = modes}}},
          {"table 2, long documents",
           "The same with long documents; those of the paper's crawl have about 200 KB",
           "Not named; GPU: " + std::string(k8800),
           "As table 2, with 33,000 words a document on average, which is about 150 KB.",
           "The paper's crawl is not available.",
           {},
           {ModesRun{.modes = modes, .quick_first_bytes = 1'000'000, .mean_words = 33'000}}},
          {"figure 8a", "Time of the whole jobs of table 2", k8800,
           "Ingest and rest of table 2 together, ours and the paper's.", ""},
          {"figure 8b",
           "Index_gpu+ with a radix sort on half blocks, and bitonic on whole ones",
           k8800,
           "The sorters over the text of table 2, with 64 MiB of the GPU's memory (--gpu-memory), which limits blocks: "
           "the radix sorts, the paper's and CUB's, need a second copy of the keys, the bitonic sort needs none. The "
           "number of blocks (blocks_on_gpu) is measured.",
           "The paper prints no numbers.",
           {},
           {ModesRun{.modes = {"gpu+:gpu-radix:satish", "gpu+:gpu-bitonic", "gpu+:gpu-radix"},
                     .gpu_memory_bytes = std::uint64_t{64} << 20,
                     .first_bytes = 32'000'000,
                     .quick_first_bytes = 4'000'000,
                     .sizes = 4}}}}};
}

}  // namespace spillway
