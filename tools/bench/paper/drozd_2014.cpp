#include "tools/bench/paper/item.hpp"

namespace spillway {

namespace {

constexpr const char* kMachine = "Two sockets with 32 cores; the paper names neither processor nor GPU";
constexpr unsigned kLongStringBytes = 256;  // with their addresses, 80 GB of them fit a host of 128 GiB

}  // namespace

Paper drozd_2014() {
  const std::vector<std::uint64_t> counts{10'000, 100'000, 1'000'000, 10'000'000};
  const std::vector<std::string> sets{"random-ascii", "dna9"};
  const PaperSeries inflation{.name = "work of a phase, to that of one thread",
                              .unit = "times",
                              .points = {{"move keys, all cores of one socket", 3},
                                         {"move keys, 32 threads", 3.5},
                                         {"histogram, 32 threads", 2},
                                         {"recursion, 32 threads", 2}}};
  const PaperSeries stretch{
      .name = "stretch by imbalance", .unit = "times", .points = {{"histogram, 32 threads", 1.5}}};
  const PaperSeries speed_up{.name = "largest speed-up", .unit = "times", .points = {{"two sockets, 32 cores", 16}}};
  const PaperSeries rate{
      .name = "rate, at most", .unit = "keys/s", .points = {{"CPU", 70e6}, {"hybrid of CPU and GPU", 70e6}}};
  return {
      .name = "drozd2014",
      .title = "Drozd, Pericas, Matsuoka: Efficient String Sorting on Multi- and Many-Core Architectures, 2014",
      .items = {
          {"figure 1", "Strings in memory", "", "", "A drawing: there is nothing to measure."},
          {"figure 2",
           "Rate of the CPU sort over the number of keys, by threads",
           kMachine,
           "cpu-msd on random strings (up to 10 million) and on 9-mers over ACGT, which stand for a genome: the text "
           "names no data. Threads are not bound to sockets.",
           "The paper prints no numbers.",
           {},
           {StringsRun{
               .sorters = {"cpu-msd"}, .sets = sets, .counts = counts, .quick_most = 1'000'000, .by_threads = true}}},
          {"figure 3",
           "Time of the phases",
           kMachine,
           "cpu-msd by threads, with the wall time and the work of its steps. 'load' is the first bytes of each "
           "string, which the paper's sort does not keep beside them.",
           "The paper prints no numbers.",
           {},
           {StringsRun{.sorters = {"cpu-msd"},
                       .sets = sets,
                       .counts = {10'000'000},
                       .quick_most = 1'000'000,
                       .by_threads = true,
                       .steps = StepTimes::kMeasured}}},
          {"figure 4",
           "Inflation of work and imbalance",
           kMachine,
           "From the steps of figure 3: the work of a step to that with one thread, and threads x wall time / work.",
           "The work of 'load' by threads: its loop has one clock.",
           {inflation, stretch}},
          {"figure 5",
           "Rate by the length of keys, beside the bound of copies",
           kMachine,
           "A million random strings of one length each. gpu-string-radix gets whole strings from pinned memory; "
           "'copies alone' is the bound that its transfers set. hybrid-msd sends prefixes.",
           "The paper prints no numbers.",
           {},
           {StringsRun{.sorters = {"cpu-msd", "hybrid-msd", "gpu-string-radix"},
                       .sets = {},
                       .quick_most = 1'000'000,
                       .transfers = Transfers::kMeasured,
                       .lengths = {4, 8, 16, 32, 64, 128}}}},
          {"figure 6",
           "Split of the GPU's time, with whole strings and with prefixes",
           kMachine,
           "Strings of up to 19 bytes (the paper: 20). gpu-string-radix gets whole strings: its copies are measured "
           "apart from its sort. hybrid-msd sends prefixes: from pageable memory and back.",
           "The split of hybrid-msd: its steps overlap.",
           {},
           {StringsRun{.sorters = {"hybrid-msd", "gpu-string-radix"},
                       .sets = sets,
                       .quick_most = 1'000'000,
                       .transfers = Transfers::kMeasured}}},
          {"figure 7",
           "Scaling beside a sort of recursive tasks",
           kMachine,
           "cpu-multikey, whose recursion is tasks, beside cpu-msd, by threads, on a million strings.",
           "",
           {speed_up},
           {StringsRun{.sorters = {"cpu-msd", "cpu-multikey"},
                       .sets = sets,
                       .counts = {1'000'000},
                       .quick_most = 1'000'000,
                       .by_threads = true}}},
          {"figure 8",
           "Rate of the hybrid sort and of the CPU alone",
           kMachine,
           "hybrid-msd sorts prefixes on the GPU and small buckets on the CPU; cpu-msd with all threads. One set, of "
           "random strings of 256 bytes, exceeds the GPU's memory.",
           "That set where --memory does not hold it: 86 GB of strings need 110 GB.",
           {rate},
           {StringsRun{.sorters = {"cpu-msd", "hybrid-msd"}, .sets = sets, .counts = counts, .quick_most = 1'000'000},
            StringsRun{.sorters = {"cpu-msd", "hybrid-msd"}, .sets = {}, .above_gpu_memory = kLongStringBytes}}}}};
}

}  // namespace spillway
