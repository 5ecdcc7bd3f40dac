// What a merge has read of each input over all its ranges of terms, against what the input says that it holds: each
// range is checked by its cursors, but nothing there would see that some are missing.
#pragma once

#include <cstdint>
#include <vector>

#include "merge/input/merge_input.hpp"

namespace spillway {

struct InputTotals {
  std::uint64_t posting_count = 0, occurrence_count = 0;

  void add(const InputTotals& other) {
    posting_count += other.posting_count;
    occurrence_count += other.occurrence_count;
  }
};

// Throws FormatError naming the input where they are not those of its summary.
void check_totals(const MergeInput& input, const InputTotals& found);

}  // namespace spillway
