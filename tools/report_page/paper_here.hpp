// Figures of the papers as they were measured here, from the cases of a report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/report_page/json_view.hpp"

namespace spillway {

// Cases that a sorter was measured on.
struct SorterCases {
  enum class Threads : std::uint8_t { kUnnamed, kOne, kFastest };  // of sorts that ran with several numbers of threads
  std::string sorter = {};
  std::string input = {};   // a distribution or a set; empty: any
  unsigned bits = 0;        // of keys; 0: any
  std::uint64_t above = 0;  // only cases with more elements
  Threads threads = Threads::kUnnamed;
};

// Elements a second of a sorter, or how many times as many as those of `against`.
struct MeasuredHere {
  enum class Over : std::uint8_t { kLargest, kMean, kMost };  // of the cases; kLargest: the one with the most elements
  SorterCases of = {};
  SorterCases against = {};  // without a sorter: the rate itself
  Over over = Over::kLargest;
};

// A figure that a paper prints, by its place in the report of `bench paper`, and how it is measured here.
struct PaperFigureHere {
  std::string paper, item, series, at;
  MeasuredHere here;
};
const std::vector<PaperFigureHere>& paper_figures_here();

// The figure of an item of `bench paper` that stands beside the paper's own in `series` at `at`; nothing where no
// sorter stands for the paper's, or none was measured. Throws FormatError where a case lacks its members.
std::optional<double> measured_here(const JsonView& item, const std::string& series, const std::string& at);

}  // namespace spillway
