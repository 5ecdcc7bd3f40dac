#include "tools/bench/paper/item.hpp"

namespace spillway {

namespace {

constexpr const char* kGtx580 = "NVIDIA GeForce GTX 580";
constexpr const char* kSets = "Generated sets with the paper's number, size and ties of strings (docs/benchmarks.md).";

constexpr const char* kPaperForm = "gpu-string-radix:paper";
constexpr const char* kFixedIds = "gpu-string-radix:paper, ids of 4 bytes";
constexpr const char* kKept = "gpu-string-radix:paper, ids of 4 bytes, singletons kept";

std::vector<std::string> sets() {
  return {"artificial-2", "artificial-4", "artificial-5", "dictcalls", "random",
          "words",        "url",          "dna9",         "sentences", "pc-filelist"};
}

PaperSeries by_set(const std::string& name, const std::string& unit, const std::vector<double>& values,
                   const std::vector<std::string>& of = sets()) {
  PaperSeries series{.name = name, .unit = unit, .points = {}};
  for (std::size_t i = 0; i < values.size(); ++i) series.points.push_back({of[i], values[i]});
  return series;
}

// The sets of table III: without genome.
std::vector<std::string> nine_sets() {
  return {"artificial-2", "artificial-4", "artificial-5", "dictcalls",  "random",
          "words",        "url",          "sentences",    "pc-filelist"};
}

// The sets of table VIII with both of the CPU's times: without sentences.
std::vector<std::string> nine_sets_of_cpu() {
  return {"artificial-2", "artificial-4", "artificial-5", "dictcalls", "random", "words", "url", "dna9", "pc-filelist"};
}

}  // namespace

Paper deshpande_2013() {
  return {
      .name = "deshpande2013",
      .title = "Deshpande, Narayanan: Can GPUs Sort Strings Efficiently?, 2013",
      .items = {
          {"figure 1", "Strings and pointers", "", "", "A drawing: there is nothing to measure."},
          {"figure 2", "The algorithm", "", "", "A drawing: there is nothing to measure."},
          {"table I",
           "The sets of strings",
           "",
           kSets,
           "",
           {by_set("size", "MB", {98, 162, 50, 2.2, 97, 118, 305, 302, 124, 656}),
            by_set("mean tie", "bytes", {101, 13, 50, 15, 2, 7, 29, 8, 17, 59}),
            by_set("longest tie", "bytes", {101, 80, 100, 35, 5, 48, 215, 9, 63, 180})},
           {SetsRun{.sets = sets()}}},
          {"table II",
           "Beside Thrust's sort with a comparator, and the split of the time",
           kGtx580,
           std::string(kSets) +
               " gpu-string-radix:paper follows the paper's text and has its split (sort, scan and scatter, other "
               "kernels); gpu-string-radix is its modern form; gpu-string-thrust is Thrust's merge sort with a "
               "comparator of strings.",
           "",
           {by_set("radix sort of strings, without memory set-up", "ms",
                   {127, 328, 113, 11, 12, 154, 782, 445, 119, 1182}),
            by_set("rounds", "rounds", {15, 15, 17, 6, 1, 9, 37, 2, 11, 33}),
            by_set("Thrust's sort, without memory set-up", "ms",
                   {2652, 5699, 1808, 32, 75, 2016, 8559, 14064, 895, 9003}),
            by_set("Thrust's sort, with memory set-up", "ms",
                   {2744, 5813, 1906, 113, 257, 2122, 8714, 14219, 1026, 9234})},
           {StringsRun{.sorters = {kPaperForm, "gpu-string-radix", "gpu-string-thrust"},
                       .sets = sets(),
                       .steps = StepTimes::kMeasured}}},
          {"figure 3",
           "Time of a radix sort by the width of keys",
           kGtx580,
           "Records of 64 bits by 8 to 64 of them; the paper's have 1 to 16 bytes of key and 4 of value. cpu-radix "
           "shows the same on the CPU.",
           "Keys above 8 bytes: records of an index have 64 bits, and sorters of records take no others. The paper "
           "prints no numbers.",
           {},
           {KeysRun{.sorters = {"gpu-radix", "cpu-radix"},
                    .first_power = 20,
                    .last_power = 24,
                    .bits = {8, 16, 24, 32, 40, 48, 56, 64}}}},
          {"table III",
           "With and without the removal of singletons",
           kGtx580,
           "gpu-string-radix:paper with and without the removal, both with ids of four bytes, as in the paper. The "
           "time is that of all steps.",
           "",
           {by_set("with removal", "ms", {367, 601, 299, 28, 23, 423, 1160, 219, 1723}, nine_sets()),
            by_set("without", "ms", {357, 2237, 317, 38, 31, 1340, 5331, 408, 4791}, nine_sets())},
           {StringsRun{.sorters = {kPaperForm},
                       .sets = nine_sets(),
                       .steps = StepTimes::kMeasured,
                       .variants = {kFixedIds, kKept}}}},
          {"table IV",
           "Ids of segments of fixed and of adaptive width",
           kGtx580,
           "gpu-string-radix:paper with ids of four bytes, and with as few as their number needs.",
           "",
           {by_set("fixed width", "ms", {367, 601, 299, 28, 23, 423, 1160, 1488, 219, 1723}),
            by_set("adaptive width", "ms", {127, 328, 113, 11, 12, 154, 782, 445, 119, 1182}),
            by_set("fixed width: rounds", "rounds", {26, 21, 26, 9, 2, 13, 54, 3, 16, 46}),
            by_set("adaptive width: rounds", "rounds", {15, 15, 17, 6, 1, 9, 37, 2, 11, 33})},
           {StringsRun{
               .sorters = {kPaperForm}, .sets = sets(), .steps = StepTimes::kMeasured, .variants = {kFixedIds}}}},
          {"table V",
           "Achieved and expected time",
           kGtx580,
           "The rounds and steps of table II, and the rate of gpu-radix by 64 bits of figure 3, which moves keys "
           "alone: docs/papers.md has both sides.",
           "The 4 bytes of an index beside each key: figure 3 has keys only, so its rate is a bit high.",
           {by_set("expected", "ms", {50, 500, 57, 2, 4, 300, 1233, 200, 66, 1100})}},
          {"table VI",
           "Share of the time in primitives",
           kGtx580,
           "The steps of gpu-string-radix:paper in table II.",
           "",
           {by_set("share in sort and scan primitives", "%", {51, 73, 82, 90, 58, 77, 66, 63, 69, 73}),
            by_set("t1, sort", "ms", {35, 197, 69, 7, 6, 97, 416, 189, 65, 705}),
            by_set("t2, scan and scatter", "ms", {31, 44, 24, 3, 1, 22, 102, 92, 18, 164}),
            by_set("t3, other kernels", "ms", {61, 87, 20, 1, 5, 35, 264, 164, 36, 313})}},
          {"table VII",
           "Two generations of GPUs",
           "NVIDIA GTX 580 and Tesla K20C",
           "",
           "One machine has one generation. bench report puts the reports of two machines into the same plots.",
           {by_set("GTX 580", "ms", {436, 936, 720, 1409}, {"artificial-4", "url", "dna9", "pc-filelist"}),
            by_set("K20C", "ms", {472, 899, 642, 1121, 2574},
                   {"artificial-4", "url", "dna9", "pc-filelist", "pc-filelist, twice"})}},
          {"table VIII",
           "Beside sorters of the CPU",
           "GTX 580; Intel Core 2 Duo E7500",
           std::string(kSets) +
               " cpu-msd and cpu-multikey stand for burstsort and MSD radix sort; the time of the GPU is "
               "here without transfers.",
           "Burstsort is not here. Of sentences the paper has one CPU time, 968 ms; the text does not say whose.",
           {by_set("the paper's GPU sort, with memory set-up", "ms", {219, 436, 175, 62, 84, 252, 936, 720, 199, 1409}),
            by_set("burstsort", "ms", {880, 4000, 730, 50, 166, 3700, 9270, 8210, 24920}, nine_sets_of_cpu()),
            by_set("MSD radix sort", "ms", {2496, 4468, 948, 44, 188, 2968, 8832, 9888, 13220}, nine_sets_of_cpu())},
           {StringsRun{.sorters = {"cpu-msd", "cpu-multikey", "gpu-string-radix"}, .sets = sets()}}},
          {"figure 4",
           "Time by the deviation of ties",
           kGtx580,
           "gpu-string-radix, the modern form, and cpu-multikey on words and pc-filelist with every second, fourth and "
           "eighth byte of a string, and on words with each byte 2 and 4 times, as in the paper.",
           "",
           {{"the paper's GPU sort",
             "ms",
             {{"words, 1 byte of 8", 69},
              {"words, 1 byte of 4", 80},
              {"words", 154},
              {"words, each byte 2 times", 382},
              {"words, each byte 4 times", 515},
              {"pc-filelist, 1 byte of 8", 145},
              {"pc-filelist, 1 byte of 4", 275},
              {"pc-filelist, 1 byte of 2", 556},
              {"pc-filelist", 1182}}},
            {"words, times the time of the whole set",
             "times",
             {{"words, 1 byte of 8", 0.4},
              {"words, 1 byte of 4", 0.5},
              {"words, each byte 2 times", 2.4},
              {"words, each byte 4 times", 3.3}}},
            {"pc-filelist, times the time of the whole set",
             "times",
             {{"pc-filelist, 1 byte of 2", 0.47},
              {"pc-filelist, 1 byte of 4", 0.23},
              {"pc-filelist, 1 byte of 8", 0.12}}}},
           {StringsRun{.sorters = {"gpu-string-radix", "cpu-multikey"},
                       .sets = {"words"},
                       .scales = {{8, 1}, {4, 1}, {2, 1}, {}, {1, 2}, {1, 4}}},
            StringsRun{.sorters = {"gpu-string-radix", "cpu-multikey"},
                       .sets = {"pc-filelist"},
                       .scales = {{8, 1}, {4, 1}, {2, 1}, {}}}}}}};
}

}  // namespace spillway
