// Estimates a job's remaining time for the progress line. The shown figure counts down and approaches new estimates
// slowly, so that it does not jump.
#pragma once

#include <optional>

#include "indexer/options/job_context.hpp"

namespace spillway {

class TimeLeft {
 public:
  // Call it repeatedly with the seconds since the job began. Returns nothing while there is no estimate: in the first
  // second, for input of unknown size, in a pass before the one that parses, and between reading and merging.
  std::optional<double> update(const IndexProgress& progress, double seconds);

 private:
  std::optional<double> measure(const IndexProgress& progress, double seconds);
  double reading_since_ = 0;  // start of the pass that parses, in seconds
  double read_for_ = 0;       // time from there to the last at which input was being read
  double lists_since_ = -1;   // start of the merge of postings, in seconds; -1: not yet
  std::optional<double> shown_;
  double shown_at_ = 0;
};

}  // namespace spillway
