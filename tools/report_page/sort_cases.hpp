// What reports of `bench sort` measured, as their pages need it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/report_page/pages.hpp"

namespace spillway {

struct SorterTimes {
  std::string name;
  std::optional<Value> sort, copies, pinned, pageable;  // copies: both ways, without the sort
  double scratch_bytes = 0;
};

struct SortCase {
  std::string input;
  double count = 0, bits = 0, bytes = 0;  // bits: 0 for strings
  std::vector<SorterTimes> sorters;
};

struct SortCases {
  std::string what;                // is sorted: strings, keys or pairs; records where some are keys and some are pairs
  std::vector<std::string> names;  // of all sorters, as they come
  std::vector<SortCase> cases;
};

// The cases of several reports with the same input are one case with more sorters. Throws FormatError where a report
// lacks what a page shows. Requires: all reports have the same command.
SortCases sort_cases(const Reports& reports);

}  // namespace spillway
