// A few lines from all over the inputs of a sort, and the sorter of the GPU that is the fastest for such lines. Read
// before the sort, so that the plan can name the sorter and say why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "sort/sort_plan.hpp"

namespace spillway {

struct LineSample {
  std::size_t lines = 0;
  double mean_bytes = 0;            // of a line, without its end
  double distinguishing_bytes = 0;  // of a line, that tell it from the others of the sample
  double distinct_share = 0;        // how many of the lines are different, divided by all
};

// Samples up to 512 lines, four from each of up to 128 places of the files. A line longer than 4 KiB is
// cut there. Reads 512 KiB at most. What cannot be read is left out: the sort will tell.
LineSample sample_lines(FileSystem& files, const std::vector<std::string>& paths, char line_end);

// Chooses gpu-string-merge where most of a sample of 64 lines or more is equal, or where long lines differ after a few
// words; gpu-string-radix otherwise.
SorterChoice choose_line_gpu_sorter(const LineSample& sample);

}  // namespace spillway
