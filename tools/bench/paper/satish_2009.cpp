#include "tools/bench/paper/item.hpp"

namespace spillway {

namespace {

constexpr const char* kPairs =
    "Uniform records of 64 bits that are sorted by 32 of them: as many bytes as the paper's pairs of a 32-bit key and "
    "a "
    "32-bit value. Sorters that take values apart have keys of 64 bits, so 12 bytes a pair.";
constexpr const char* kGtx280 = "NVIDIA GeForce GTX 280 and four older GPUs";

std::vector<std::string> both_sorters() { return {"gpu-radix:satish", "gpu-merge:satish"}; }

}  // namespace

Paper satish_2009() {
  const PaperSeries by_width{.name = "radix sort, times as fast as with 32 bits",
                             .unit = "times",
                             .points = {{"8 bits", 4}, {"16 bits", 2}, {"24 bits", 1.33}, {"32 bits", 1}}};
  const PaperSeries by_rival{.name = "the paper's GPU radix sort, times as fast",
                             .unit = "times",
                             .points = {{"tbb::parallel_sort, 8 cores", 4.4},
                                        {"radix sort with TBB, 8 cores", 3},
                                        {"radix sort with SSE2, 8 cores", 3.5}}};
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
           kPairs,
           "Several generations of GPUs: one machine has one. The paper prints no numbers.",
           {},
           {KeysRun{.sorters = both_sorters()}}},
          {"figure 4", "Rates of the radix and the merge sort over the number of pairs", kGtx280,
           "The rates of the runs of figure 3.", "The paper prints no numbers."},
          {"figure 5",
           "Rates with keys of 8, 16, 24 and 32 bits",
           "NVIDIA GeForce GTX 280",
           kPairs,
           "",
           {by_width},
           {KeysRun{.sorters = both_sorters(), .bits = {8, 16, 24, 32}}}},
          {"figure 6",
           "Rates by the entropy of keys",
           "NVIDIA GeForce GTX 280",
           kPairs,
           "The paper prints one number: the merge sort is 1.3 times as fast on equal and on sorted keys.",
           {},
           {KeysRun{
               .sorters = both_sorters(),
               .distributions = {"entropy-1", "entropy-2", "entropy-3", "entropy-4", "entropy-5", "all-zero", "sorted"},
               .first_power = 20}}},
          {"figure 7", "Rates beside GPUSort, the radix sort of GPU Gems 3 and that of CUDPP", "NVIDIA 8800 Ultra", "",
           "The rivals are not run: GPUSort needs OpenGL, and the other two were written in CUDA for GPUs of 2007 and "
           "are "
           "not maintained. CUB's sorts (gpu-radix, gpu-merge) are today's rivals: bench sort records measures them."},
          {"figure 8a",
           "Beside parallel sorts of the CPU, pairs",
           "GTX 280; two Intel Xeon E5345, 8 cores",
           "cpu-quick is tbb::parallel_sort, the paper's first rival. cpu-radix is a radix sort with TBB, its second. "
           "Records as in figure 3.",
           "The hand-tuned SSE2 radix sort is not available.",
           {by_rival},
           {KeysRun{.sorters = {"cpu-quick", "cpu-radix", "gpu-radix:satish", "gpu-merge:satish"}}}},
          {"figure 8b",
           "Beside the merge sort of Chhugani et al., keys of 32-bit floating point",
           "GTX 280; Intel Core 2 Quad Q9550",
           "Random floats in [-1, 1) as 32-bit integers of the same order, in records of 64 bits: the paper's first "
           "and last "
           "pass convert keys, here they are converted before. cpu-radix and cpu-quick stand for the CPU sort.",
           "The CPU merge sort is not available.",
           {floats},
           {KeysRun{.sorters = {"cpu-quick", "cpu-radix", "gpu-radix:satish"}, .distributions = {"floats"}}}}}};
}

}  // namespace spillway
