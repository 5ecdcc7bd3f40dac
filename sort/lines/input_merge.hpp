// Merges inputs that are sorted already: `sort -m`.
#pragma once

#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "sort/lines/block/input.hpp"
#include "sort/lines/block/output.hpp"
#include "sort/lines/keys/order.hpp"
#include "sort/lines/resources.hpp"

namespace spillway {

// "-" is standard input, once.
struct SortedInputs {
  FileSystem& files;
  std::vector<std::string> paths;
  InputOpener opener = {};              // for inputs that are not read as they stand in their files
  std::size_t most_open = 2;            // inputs at once; at least 2
  bool are_read_before_output = false;  // for an output that overwrites one of them
  bool are_direct = false;              // read past the page cache
};

// Equal lines keep the order of their inputs. More inputs than may be open, than options.most_runs or than the memory
// has buffers for are merged in groups to runs in scratch files first. Inputs that are not sorted give lines that are
// not sorted either; none is lost. Parallel and throws as sort_lines() does. O(log n) comparisons a line.
LineSortSummary merge_lines(const SortedInputs& inputs, const LineOrder& order, const LineSortOptions& options,
                            LineOutput& output);

}  // namespace spillway
