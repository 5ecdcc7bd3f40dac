// The points of a sweep: what is made to fail in a run of a scenario. Every point has a seed, from which it can be made
// again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/sweep/disk.hpp"
#include "tests/sweep/program.hpp"
#include "tests/sweep/scenario.hpp"

namespace spillway::sweep {

enum class PointKind { kFault, kCrash, kRefusal, kTwoFaults, kFaultThenCrash };

struct Point {
  PointKind kind = PointKind::kFault;
  Faults faults = {};        // of the run
  std::size_t crash_at = 0;  // the number of calls before the crash, if there is one
  Survival survival = Survival::kAll;
  std::uint64_t variation = 0;  // a seed for what else differs
  std::string words = {};       // for people
};

// All points of a scenario, from a run in which nothing fails.
class PointSpace {
 public:
  PointSpace(const Scenario& scenario, std::vector<Event> events, const Requests& requests);
  std::uint64_t size() const;
  // Requires: number < size(). Points of one number and different variations differ in details.
  Point at(std::uint64_t number, std::uint64_t variation) const;

 private:
  struct FaultyCall {
    std::size_t event;
    FaultKind kind;
    bool lasts;
  };
  Point fault(std::uint64_t number, std::uint64_t variation) const;
  Point crash(std::uint64_t number, std::uint64_t variation) const;
  Point refusal(std::uint64_t number, std::uint64_t variation) const;
  std::uint64_t tried_requests() const;
  Point two_faults(std::uint64_t number, std::uint64_t variation) const;
  Fault fault_of(const FaultyCall& call, std::uint64_t variation) const;

  std::vector<Event> events_;
  std::vector<FaultyCall> faults_;
  std::vector<std::size_t> crashes_;  // numbers of calls before which the process may end
  Requests requests_, tried_requests_ = {};
};

std::string words_of(const Fault& fault);

}  // namespace spillway::sweep
