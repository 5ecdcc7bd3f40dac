#include "tools/bench/paper/item.hpp"

namespace spillway {

namespace {

constexpr const char* kGtx280 = "NVIDIA GeForce GTX 280 and four older GPUs";

std::vector<std::string> both_sorters() { return {"gpu-radix:satish", "gpu-merge:satish"}; }

}  // namespace

Paper satish_2009() {
  const PaperSeries by_width{.name = "radix sort, times as fast as with 32 bits",
                             .unit = "times",
                             .points = {{"8 bits", 4}, {"16 bits", 2}, {"24 bits", 1.33}, {"32 bits", 1}}};
  const PaperSeries merge_by_width{.name = "merge sort, times as fast as with 32 bits",
                                   .unit = "times",
                                   .points = {{"8 bits, at least", 1.05}, {"8 bits, at most", 1.1}}};
  const PaperSeries merge_by_order{.name = "merge sort, times as fast as on uniform keys, from 1 million keys on",
                                   .unit = "times",
                                   .points = {{"all-zero", 1.3}, {"sorted", 1.3}}};
  const PaperSeries by_gpu_rival{.name = "the paper's GPU radix sort, times as fast, at the largest sizes",
                                 .unit = "times",
                                 .points = {{"all other sorts, at least", 2},
                                            {"GPUSort, at least", 4},
                                            {"quicksort of Cederman and Tsigas (keys alone, GTX 280)", 3}}};
  const PaperSeries merge_by_gpu_rival{
      .name = "the paper's GPU merge sort, times as fast", .unit = "times", .points = {{"GPUSort", 2}}};
  const PaperSeries by_rival{.name = "the paper's GPU radix sort, times as fast, above 8K pairs",
                             .unit = "times",
                             .points = {{"tbb::parallel_sort, 8 cores", 4.4},
                                        {"radix sort with TBB, 8 cores", 3},
                                        {"radix sort with SSE2, 8 cores", 3.5}}};
  const PaperSeries merge_by_rival{.name = "the paper's GPU merge sort, times as fast, above 8K pairs",
                                   .unit = "times",
                                   .points = {{"tbb::parallel_sort, 8 cores", 2.1}}};
  const PaperSeries floats{.name = "rate, on average",
                           .unit = "keys/s",
                           .points = {{"GPU radix sort, GTX 280", 187e6}, {"CPU merge sort, 4 cores", 152e6}}};
  return {
      .name = "satish2009",
      .title = "Satish, Harris, Garland: Designing Efficient Sorting Algorithms for Manycore GPUs, 2009",
      .items = {
          {"figure 1", "A GPU and its multiprocessors", "", "", "A drawing: there is nothing to measure."},
          {"figure 2", "Histograms of blocks in column-major order", "", "",
           "A drawing: there is nothing to measure. docs/sorters.md says how gpu-radix:satish stores them."},
          {"figure 3",
           "Time of the radix and the merge sort over the number of pairs",
           kGtx280,
           "Uniform pairs of a 32-bit key and a 32-bit value. A pair is a record of 64 bits here; the paper has keys "
           "in "
           "one array and values in another, as many bytes.",
           "Four older GPUs: one machine has one. The paper prints no numbers.",
           {},
           {KeysRun{.sorters = both_sorters(), .form = RecordForm::kPairs}}},
          {"figure 4", "Rates of the radix and the merge sort over the number of pairs", kGtx280,
           "The rates of the runs of figure 3.", "The paper prints no numbers."},
          {"figure 5",
           "Rates with keys of 8, 16, 24 and 32 bits",
           "NVIDIA GeForce GTX 280",
           "Pairs as in figure 3.",
           "",
           {by_width, merge_by_width},
           {KeysRun{.sorters = both_sorters(), .bits = {8, 16, 24, 32}, .form = RecordForm::kPairs}}},
          {"figure 6",
           "Rates by the entropy of keys",
           "NVIDIA GeForce GTX 280",
           "Pairs as in figure 3. The paper's only number is that of the merge sort on equal and on sorted keys.",
           "",
           {merge_by_order},
           {KeysRun{
               .sorters = both_sorters(),
               .distributions = {"entropy-1", "entropy-2", "entropy-3", "entropy-4", "entropy-5", "all-zero", "sorted"},
               .first_power = 20,
               .form = RecordForm::kPairs}}},
          {"figure 7",
           "Rates beside GPUSort, the radix sort of GPU Gems 3 and that of CUDPP",
           "NVIDIA 8800 Ultra",
           "Today's rivals: CUB's radix sort (gpu-radix) and merge sort (gpu-merge), and the quicksort of Cederman and "
           "Tsigas (gpu-quick), with whose rates the paper's text compares. Pairs as in figure 3.",
           "GPUSort needs OpenGL; the radix sorts of GPU Gems 3 and CUDPP were written for GPUs of 2007 and are not "
           "maintained.",
           {by_gpu_rival, merge_by_gpu_rival},
           {KeysRun{.sorters = {"gpu-radix", "gpu-radix:satish", "gpu-merge", "gpu-merge:satish", "gpu-quick"},
                    .form = RecordForm::kPairs}}},
          {"figure 8a",
           "Beside parallel sorts of the CPU, pairs",
           "GTX 280; two Intel Xeon E5345, 8 cores",
           "cpu-quick is tbb::parallel_sort, the paper's first rival. cpu-radix is a radix sort with TBB, its second. "
           "Pairs as in figure 3.",
           "The hand-tuned SSE2 radix sort is not available.",
           {by_rival, merge_by_rival},
           {KeysRun{.sorters = {"cpu-quick", "cpu-radix", "gpu-radix:satish", "gpu-merge:satish"},
                    .form = RecordForm::kPairs}}},
          {"figure 8b",
           "Beside the merge sort of Chhugani et al., keys of 32-bit floating point",
           "GTX 280; Intel Core 2 Quad Q9550",
           "Random floats in [-1, 1) as 32-bit integers of the same order, in records of 64 bits, twice the bytes of "
           "the paper's keys. The paper's first and last pass convert keys; here they are converted before. cpu-radix "
           "and cpu-quick stand for the CPU sort.",
           "The CPU merge sort is not available.",
           {floats},
           {KeysRun{.sorters = {"cpu-quick", "cpu-radix", "gpu-radix:satish"}, .distributions = {"floats"}}}}}};
}

}  // namespace spillway
