#include "tools/bench/paper/item.hpp"

namespace spillway {

namespace {

constexpr const char* kGtx580 = "NVIDIA GeForce GTX 580";

std::vector<std::string> merge_sorters() {
  return {"gpu-merge:paper", "gpu-merge:davidson", "gpu-merge", "gpu-merge:satish"};
}

PaperItem drawing(const std::string& id, const std::string& title) {
  return {id, title, "", "", "A drawing: there is nothing to measure."};
}

}  // namespace

Paper davidson_2012() {
  const PaperSeries to_thrust{.name = "the paper's merge sort, times as fast",
                              .unit = "times",
                              .points = {{"Thrust, keys", 3}, {"Thrust, pairs", 2}, {"Satish et al., pairs", 1.7}}};
  const PaperSeries key_rates{.name = "rate, at most", .unit = "elements/s", .points = {{"keys of 32 bits", 250e6}}};
  const PaperSeries string_rates{
      .name = "strings per second, at most", .unit = "strings/s", .points = {{"words", 70e6}}};
  const PaperSeries byte_rates{
      .name = "bytes per second, at most", .unit = "bytes/s", .points = {{"sentences", 1.25e9}}};
  const PaperSeries to_words{.name = "sentences to words: strings per second, times slower, at least",
                             .unit = "times",
                             .points = {{"sentences", 5}}};
  const PaperSeries to_pairs{.name = "strings to pairs, times slower",
                             .unit = "times",
                             .points = {{"words", 2.5}, {"sentences, at least", 14}, {"sentences, at most", 15}}};
  const PaperSeries lengths{.name = "mean length", .unit = "bytes", .points = {{"words-dup", 8}, {"sentences", 98}}};
  const PaperSeries ties{.name = "longest tie", .unit = "bytes", .points = {{"words-dup", 20}}};
  return {
      .name = "davidson2012",
      .title =
          "Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge Sort for Fixed and Variable Length Keys, "
          "2012",
      .items = {
          drawing("figure 1", "The hierarchy of the merge sort"),
          drawing("figure 2", "The sort of a block"),
          drawing("figure 3", "Windows of a merge"),
          drawing("figure 4", "The state of two windows"),
          drawing("figure 5", "Windows that are loaded again"),
          drawing("figure 6", "Keys and values of strings"),
          {"figure 7a",
           "Rates of keys and pairs over their number",
           kGtx580,
           "Pairs of a 32-bit key and a 32-bit value in a record of 64 bits, and keys of 64 bits. gpu-merge:paper "
           "follows the paper's text, and gpu-merge:davidson is its modern form; gpu-merge (CUB) stands for Thrust's "
           "sort.",
           "Keys of 32 bits alone: records of an index have 64 bits, so all sorters move 8 bytes for an element; keys "
           "of 4 bytes would need a second form of each kernel, which no job would use.",
           {to_thrust, key_rates},
           {KeysRun{.sorters = merge_sorters(), .first_power = 16, .form = RecordForm::kPairs},
            KeysRun{.sorters = merge_sorters(), .first_power = 16, .bits = {64}}}},
          {"figure 7b",
           "Rates of strings over their number, and bytes per second",
           kGtx580,
           "Generated words, as often as in a text (words-dup) and each once (words), and sentences "
           "(docs/benchmarks.md). gpu-string-merge:paper follows the paper's text, and gpu-string-merge is its modern "
           "form. The pairs to compare with are those of figure 7a.",
           "The paper's own words and sentences: it names no files.",
           {to_pairs, to_words, string_rates, byte_rates},
           {StringsRun{.sorters = {"gpu-string-merge:paper", "gpu-string-merge", "gpu-string-thrust"},
                       .sets = {"words-dup", "words", "sentences"},
                       .counts = {10'000, 100'000, 1'000'000}}}},
          {"figure 8a",
           "Ties that are resolved from memory, by merge stage",
           kGtx580,
           "Comparisons of gpu-string-merge:paper that read strings, counted in its sort of blocks and in each merge. "
           "2^19 strings are a whole number of runs of every merge, a million are not.",
           "The paper prints no numbers.",
           {},
           {StringsRun{.sorters = {"gpu-string-merge:paper"},
                       .sets = {"words-dup", "sentences"},
                       .counts = {std::uint64_t{1} << 19, 1'000'000},
                       .quick_most = 1'000'000,
                       .steps = StepTimes::kMeasured}}},
          {"figure 8b", "Windows with equal keys", kGtx580,
           "Sequences of sorted strings with the same first four bytes, by their length: a histogram of figure 9a.",
           "The paper prints no numbers."},
          {"figure 9a",
           "Lengths of the strings",
           "",
           "Histograms of our stand-ins: lengths, ties and sequences with equal first bytes. The sets have the paper's "
           "kinds of strings, but shorter ones: its sentences are 98 bytes long on average.",
           "",
           {lengths},
           {SetsRun{.sets = {"words-dup", "words", "sentences"}, .quick_most = 1'000'000, .has_histograms = true}}},
          {"figure 9b",
           "Ties of the sorted strings",
           "",
           "A histogram of figure 9a.",
           "The paper prints one number: words have no tie above 20 bytes.",
           {ties}}}};
}

}  // namespace spillway
