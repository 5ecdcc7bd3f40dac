// Estimates a job's remaining time for the progress line. The shown figure counts down and approaches new estimates
// slowly, so that it does not jump.
#pragma once

#include <optional>

#include "indexer/options/job_context.hpp"

namespace spillway {

class TimeLeft {
 public:
  // Call it repeatedly with the seconds since the job began. Returns nothing while there is no estimate: in the first
  // second, for input of unknown size, and between reading and merging.
  std::optional<double> update(const IndexProgress& progress, double seconds);

 private:
  std::optional<double> measure(const IndexProgress& progress, double seconds);
  double read_until_ = 0;    // last time at which input was being read, in seconds
  double lists_since_ = -1;  // start of the merge of postings, in seconds; -1: not yet
  std::optional<double> shown_;
  double shown_at_ = 0;
};

}  // namespace spillway
