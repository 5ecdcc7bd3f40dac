// How long a job still takes, from what it has done so far: for the progress line. Steady: the figure counts down and
// follows new measurements slowly, so it does not jump.
#pragma once

#include <optional>

#include "indexer/options/job_context.hpp"

namespace spillway {

class TimeLeft {
 public:
  // To be called now and then, with the seconds since the job began; nothing while there is no telling (the first
  // second, input of unknown size, between reading and merging).
  std::optional<double> update(const IndexProgress& progress, double seconds);

 private:
  std::optional<double> measure(const IndexProgress& progress, double seconds);
  double read_until_ = 0;    // when the input was last seen being read
  double lists_since_ = -1;  // when the lists began to be merged
  std::optional<double> shown_;
  double shown_at_ = 0;
};

}  // namespace spillway
