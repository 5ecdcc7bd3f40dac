// `bench modes --sweep`: cpu+ beside gpu+ over texts, threads and sizes, and the border from which the GPU pays.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/series.hpp"

namespace spillway {

// The comparison of the modes adds these to the measured times.
struct SweepTerms {
  std::optional<double> cpu_cost = {}, gpu_cost = {};  // an hour of the machine without and with its GPU, in any money
  double gpu_start_seconds = 0;                        // which a process pays once, before its first job on the GPU
};

struct SweepText {
  std::string name;       // "pages"
  double mean_words = 0;  // of a document
};
// "pages" (300 words a document) and "books" (33,000 words).
const std::vector<SweepText>& sweep_texts();

// One job of the sweep in both modes.
struct SweepCell {
  std::string text;
  unsigned threads = 0;
  std::uint64_t input_bytes = 0, documents = 0;
  Series cpu_seconds, gpu_seconds;  // wall time of the job; gpu_seconds: empty without a GPU
};

// Where the GPU pays for one text and number of threads.
struct SweepBorder {
  std::string text;
  unsigned threads = 0;
  // The least measured size from which on the GPU was better at every measured size, with its start; none if it was not
  // at the largest.
  std::optional<std::uint64_t> faster_from_bytes = {};
  std::optional<std::uint64_t> cheaper_from_bytes = {};  // more bytes per unit of money; none without both costs
  bool has_costs = false;                                // both were given
};

// One for each text and number of threads of the cells, in their order; none for cells without GPU times. Compares a
// job in a process of its own: the GPU's start counts. O(n^2).
std::vector<SweepBorder> find_borders(const std::vector<SweepCell>& cells, const SweepTerms& terms);

// Gigabytes of input per unit of money.
double gigabytes_per_money(const SweepCell& cell, double seconds, double cost_of_hour);

// {"text", "threads", "input_bytes", "documents", "modes": [{"mode", "wall_seconds", "bytes_per_second",
// "gigabytes_per_money"}], "times_faster"}: the last member and gigabytes_per_money are null where they are not known.
// All are of a process whose GPU has started.
nlohmann::ordered_json sweep_cell_json(const SweepCell& cell, const SweepTerms& terms);
nlohmann::ordered_json sweep_border_json(const SweepBorder& border);

// A line of the table.
std::string sweep_cell_text(const SweepCell& cell, const SweepTerms& terms);
// "pages, 16 threads: with its start gpu+ is faster from 64 MB on, and cheaper from 256 MB on".
std::string sweep_border_text(const SweepBorder& border);

}  // namespace spillway
