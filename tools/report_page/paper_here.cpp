#include "tools/report_page/paper_here.hpp"

#include <algorithm>
#include <map>

namespace spillway {

namespace {

constexpr const char *kRadix = "gpu-radix:satish", *kMerge = "gpu-merge:satish";
constexpr const char *kForm = "gpu-merge:paper", *kStringForm = "gpu-string-merge:paper";
constexpr std::uint64_t kAveragesAbove = 8192;  // elements: the averages of Satish et al. are over larger inputs

// Times as fast as with 32 bits.
MeasuredHere by_bits(const char* sorter, unsigned bits) {
  return {.of = {.sorter = sorter, .bits = bits}, .against = {.sorter = sorter, .bits = 32}};
}

MeasuredHere average_gain(const char* sorter, const char* rival) {
  return {.of = {.sorter = sorter, .above = kAveragesAbove},
          .against = {.sorter = rival, .above = kAveragesAbove},
          .over = MeasuredHere::Over::kMean};
}

// Times as fast as on uniform keys: entropy-1 is one sample of them.
MeasuredHere merge_gain_on(const char* distribution) {
  return {.of = {.sorter = kMerge, .input = distribution}, .against = {.sorter = kMerge, .input = "entropy-1"}};
}

// Returns how many times as fast as another sort ours is, with keys of `bits` bits; pairs have keys of 32.
MeasuredHere davidson_gain(const char* rival, unsigned bits) {
  return {.of = {.sorter = kForm, .bits = bits}, .against = {.sorter = rival, .bits = bits}};
}

MeasuredHere at_most(const char* sorter, const char* input = "") {
  return {.of = {.sorter = sorter, .input = input}, .against = {}, .over = MeasuredHere::Over::kMost};
}

std::vector<PaperFigureHere> all_figures() {
  const std::string satish = "satish2009", davidson = "davidson2012", drozd = "drozd2014";
  const std::string widths = "radix sort, times as fast as with 32 bits";
  const std::string merge_widths = "merge sort, times as fast as with 32 bits";
  const std::string orders = "merge sort, times as fast as on uniform keys, from 1 million keys on";
  const std::string gains = "the paper's GPU radix sort, times as fast, above 8K pairs";
  const std::string davidson_gains = "the paper's merge sort, times as fast";
  return {{satish, "figure 5", widths, "8 bits", by_bits(kRadix, 8)},
          {satish, "figure 5", widths, "16 bits", by_bits(kRadix, 16)},
          {satish, "figure 5", widths, "24 bits", by_bits(kRadix, 24)},
          {satish, "figure 5", widths, "32 bits", by_bits(kRadix, 32)},
          {satish, "figure 5", merge_widths, "8 bits, at least", by_bits(kMerge, 8)},
          {satish, "figure 5", merge_widths, "8 bits, at most", by_bits(kMerge, 8)},
          {satish, "figure 6", orders, "all-zero", merge_gain_on("all-zero")},
          {satish, "figure 6", orders, "sorted", merge_gain_on("sorted")},
          {satish,
           "figure 7",
           "the paper's GPU radix sort, times as fast, at the largest sizes",
           "quicksort of Cederman and Tsigas (keys alone, GTX 280)",
           {.of = {.sorter = kRadix}, .against = {.sorter = "gpu-quick"}}},
          {satish, "figure 8a", gains, "tbb::parallel_sort, 8 cores", average_gain(kRadix, "cpu-quick")},
          {satish, "figure 8a", gains, "radix sort with TBB, 8 cores", average_gain(kRadix, "cpu-radix")},
          {satish, "figure 8a", "the paper's GPU merge sort, times as fast, above 8K pairs",
           "tbb::parallel_sort, 8 cores", average_gain(kMerge, "cpu-quick")},
          {satish,
           "figure 8b",
           "rate, on average",
           "GPU radix sort, GTX 280",
           {.of = {.sorter = kRadix}, .against = {}, .over = MeasuredHere::Over::kMean}},
          {davidson, "figure 7a", davidson_gains, "Thrust, keys", davidson_gain("gpu-merge", 64)},
          {davidson, "figure 7a", davidson_gains, "Thrust, pairs", davidson_gain("gpu-merge", 32)},
          {davidson, "figure 7a", davidson_gains, "Satish et al., pairs", davidson_gain(kMerge, 32)},
          {davidson, "figure 7b", "strings per second, at most", "words", at_most(kStringForm, "words")},
          {davidson,
           "figure 7b",
           "sentences to words: strings per second, times slower, at least",
           "sentences",
           {.of = {.sorter = kStringForm, .input = "words"}, .against = {.sorter = kStringForm, .input = "sentences"}}},
          {drozd,
           "figure 7",
           "largest speed-up",
           "two sockets, 32 cores",
           {.of = {.sorter = "cpu-msd", .input = "random-ascii", .threads = SorterCases::Threads::kFastest},
            .against = {.sorter = "cpu-msd", .input = "random-ascii", .threads = SorterCases::Threads::kOne}}},
          {drozd, "figure 8", "rate, at most", "CPU", at_most("cpu-msd")},
          {drozd, "figure 8", "rate, at most", "hybrid of CPU and GPU", at_most("hybrid-msd")}};
}

// Names of series were shorter in earlier reports, without their ends.
const MeasuredHere* recipe_of(const JsonView& item, const std::string& series, const std::string& at) {
  const std::string paper = item.at("paper").text(), id = item.at("id").text();
  for (const PaperFigureHere& one : paper_figures_here()) {
    if (one.paper == paper && one.item == id && one.series.starts_with(series) && one.at == at) return &one.here;
  }
  return nullptr;
}

using Rates = std::map<double, double>;  // by the number of elements

// `name`: as reports have it, "cpu-msd" or "cpu-msd, 4 threads".
bool is_wanted(const std::string& name, const SorterCases& wanted) {
  using Threads = SorterCases::Threads;
  if (wanted.threads == Threads::kOne) return name == wanted.sorter + ", 1 thread";
  if (wanted.threads == Threads::kFastest) return name.starts_with(wanted.sorter + ", ");
  return name == wanted.sorter;
}

void add_rates(const JsonView& one, const SorterCases& wanted, Rates& rates) {
  const bool is_strings = one.has("set");
  const double count = one.at(is_strings ? "strings" : "count").number();
  if (count <= static_cast<double>(wanted.above)) return;
  if (!wanted.input.empty() && one.at(is_strings ? "set" : "distribution").text() != wanted.input) return;
  if (wanted.bits != 0 && one.number_at("bits") != wanted.bits) return;
  for (const JsonView& sorter : one.at("sorters").items()) {
    if (!is_wanted(sorter.at("sorter").text(), wanted)) continue;
    double& rate = rates[count];
    rate = std::max(rate, sorter.at("per_second").number());
  }
}

// Of several inputs of one size, the fastest.
Rates rates_of(const JsonView& item, const SorterCases& wanted) {
  Rates rates;
  for (const JsonView& run : item.at("runs").items()) {
    const std::string kind = run.at("kind").text();
    if (kind != "keys" && kind != "strings") continue;
    for (const JsonView& one : run.at("cases").items()) add_rates(one, wanted, rates);
  }
  return rates;
}

std::vector<double> figures_of(const JsonView& item, const MeasuredHere& here) {
  const Rates rates = rates_of(item, here.of);
  const bool is_ratio = !here.against.sorter.empty();
  const Rates rivals = is_ratio ? rates_of(item, here.against) : Rates();
  std::vector<double> figures;
  for (const auto& [count, rate] : rates) {
    const auto rival = rivals.find(count);
    if (!is_ratio) figures.push_back(rate);
    if (rival != rivals.end() && rival->second > 0) figures.push_back(rate / rival->second);
  }
  return figures;
}

}  // namespace

const std::vector<PaperFigureHere>& paper_figures_here() {
  static const std::vector<PaperFigureHere> kAll = all_figures();
  return kAll;
}

std::optional<double> measured_here(const JsonView& item, const std::string& series, const std::string& at) {
  const MeasuredHere* const here = recipe_of(item, series, at);
  if (!here) return std::nullopt;
  const std::vector<double> figures = figures_of(item, *here);
  if (figures.empty()) return std::nullopt;
  if (here->over == MeasuredHere::Over::kLargest) return figures.back();
  if (here->over == MeasuredHere::Over::kMost) return *std::max_element(figures.begin(), figures.end());
  double sum = 0;
  for (const double figure : figures) sum += figure;
  return sum / static_cast<double>(figures.size());
}

}  // namespace spillway
