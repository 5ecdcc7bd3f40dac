#include "merge/input/totals.hpp"

#include <string>

#include "io/base/error.hpp"

namespace spillway {

void check_totals(const MergeInput& input, const InputTotals& found) {
  const RunSummary& expected = input.summary();
  // Where an index with positions is read as a run, postings may be cut: they are counted once for each piece.
  const bool postings_agree = input.identity().has_positions ? found.posting_count >= expected.posting_count
                                                             : found.posting_count == expected.posting_count;
  if (postings_agree && found.occurrence_count == expected.occurrence_count) return;
  throw FormatError(input.name() + ": expected " + std::to_string(expected.posting_count) + " postings of " +
                    std::to_string(expected.occurrence_count) + " occurrences, found " +
                    std::to_string(found.posting_count) + " of " + std::to_string(found.occurrence_count) +
                    ": it is damaged, make it again from its input");
}

}  // namespace spillway
