// A table or figure of a paper: what was measured there, its own figures as far as its text has them as numbers, what
// is run here for it, and what is not and why. The registry has one for every table and figure of the five papers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/bench/sorts/record_input.hpp"
#include "tools/bench/sorts/timed_sort.hpp"

namespace spillway {

struct PaperPoint {
  std::string at;  // set, size, ...
  double value = 0;
};

// Figures that the paper prints. Plots without numbers have none.
struct PaperSeries {
  std::string name;
  std::string unit;  // "ms", "s", "bytes", ...
  std::vector<PaperPoint> points;
};

// Sorts of records by keys of `bits` bits, as `bench sort records`, and with pairs as with its --pairs.
struct KeysRun {
  std::vector<std::string> sorters;
  std::vector<std::string> distributions = {"uniform"};
  unsigned first_power = 10, last_power = 24, quick_last_power = 20;  // numbers of keys: powers of two, two apart
  std::vector<unsigned> bits = {32};
  RecordForm form = RecordForm::kKeys;
  // If above 1, this many arrays of each distribution are made from consecutive seeds, and each is sorted once.
  unsigned arrays = 1;
};

// A set with shorter or longer ties: every k-th byte of each string, or each byte k times.
struct TieScale {
  unsigned keep_every = 1, repeat = 1;  // one of them is 1
};

// Sorts of strings, as `bench sort strings`.
struct StringsRun {
  std::vector<std::string> sorters;
  std::vector<std::string> sets;
  std::vector<std::uint64_t> counts = {};  // empty: as many strings as the paper's set has
  std::uint64_t quick_most = 100'000;      // strings with --quick
  bool by_threads = false;                 // each sorter with 1, 2, 4, ... threads up to all
  Transfers transfers = Transfers::kLeftOut;
  StepTimes steps = StepTimes::kLeftOut;
  std::vector<std::string> variants = {};  // of gpu-string-radix:paper (sort/gpu/registry.hpp)
  std::vector<TieScale> scales = {{}};     // each set in each of these forms
  std::vector<unsigned> lengths = {};      // besides the sets: a million random strings of each of these lengths
  // Besides the sets, where not 0: random strings of so many bytes, and so many that they exceed the GPU's memory. Left
  // out without a GPU, with --quick, and where --memory does not hold them.
  unsigned above_gpu_memory = 0;
};

// The figures of the sets themselves: sizes and ties.
struct SetsRun {
  std::vector<std::string> sets;
  std::uint64_t quick_most = 100'000;
  bool has_histograms = false;
};

// Whole jobs over text of several sizes, as `bench modes`: over generated text, or over the first lines of a file.
struct ModesRun {
  std::vector<std::string> modes;      // as those of bench modes; a GPU mode is left out without a GPU
  std::uint64_t gpu_memory_bytes = 0;  // as --gpu-memory; 0: as much as blocks need
  std::uint64_t first_bytes = 8'000'000, quick_first_bytes = 250'000;  // each size is twice the one before
  unsigned sizes = 6;
  double mean_words = 300;  // of a document
};

using PaperRun = std::variant<KeysRun, StringsRun, SetsRun, ModesRun>;

struct PaperItem {
  std::string id;        // "figure 8a", "table VIII"
  std::string title;     // what it shows
  std::string machine;   // where the paper measured; empty for drawings
  std::string stand_in;  // what runs here and how it differs
  std::string left_out;  // what does not run and why; empty: nothing is left out
  std::vector<PaperSeries> figures = {};
  std::vector<PaperRun> runs = {};
  std::string script = {};  // which runs instead, because a program cannot do it
};

// Where an item runs: "CPU", "GPU", "both", "script" or "-".
std::string paper_item_place(const PaperItem& item);

struct Paper {
  std::string name;   // "satish2009"
  std::string title;  // authors, title, year
  std::vector<PaperItem> items;
};

Paper satish_2009();
Paper davidson_2012();
Paper capannini_2012();
Paper deshpande_2013();
Paper drozd_2014();

// All five, by year.
const std::vector<Paper>& papers();

}  // namespace spillway
