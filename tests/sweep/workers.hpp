// Processes that try points. One that dies or hangs at a point is a finding, and another goes on after it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sweep/scenario.hpp"

namespace spillway::sweep {

struct Sweep {
  std::uint64_t points = 0;  // of all scenarios
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  std::uint64_t most_findings = 20;  // then it ends
};

struct SweepResult {
  std::uint64_t tried = 0, findings = 0;
};

// Both print each finding to standard output when it is made.
//
// Tries points of the scenarios, numbered as in all_scenarios(). With as many points as there are, or more, tries every
// one.
SweepResult sweep(const std::vector<std::size_t>& scenarios, const Sweep& options);
// Tries the one point that has this seed.
SweepResult replay(std::uint64_t seed);

// Writes the calls and requests of a good run to standard output.
void print_calls(std::size_t scenario);

}  // namespace spillway::sweep
