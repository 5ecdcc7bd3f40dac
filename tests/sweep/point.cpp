#include "tests/sweep/point.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace spillway::sweep {

namespace {

constexpr std::array<FaultKind, 9> kKinds{FaultKind::kIoError,  FaultKind::kNoSpace,     FaultKind::kTooManyFiles,
                                          FaultKind::kNoMemory, FaultKind::kInterrupted, FaultKind::kShort,
                                          FaultKind::kEnd,      FaultKind::kFlip,        FaultKind::kPageLost};
// Most requests are in loops and fail alike.
constexpr std::uint64_t kMostRequests = 300;  // of a resource

constexpr std::array<std::string_view, kSurvivals> kSurvivalNames{"all",        "nothing", "names", "zeros",
                                                                  "torn bytes", "bytes",   "some",  "all but one"};

bool is_worth_trying(const Scenario& scenario, const Event& event, FaultKind kind) {
  if (!can_fail(event.call, kind)) return false;
  if (kind == FaultKind::kFlip && !scenario.notices_flip(event)) return false;
  if (kind == FaultKind::kEnd && !scenario.notices_end(event)) return false;
  if (kind == FaultKind::kShort && event.bytes < 2) return false;
  return true;
}

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 31)) * 0x9E3779B97F4A7C15U;
  return value ^ (value >> 29);
}

}  // namespace

std::string words_of(const Fault& fault) {
  return fault.name + " #" + std::to_string(fault.number) + " " + std::string(fault_name(fault.kind)) +
         (fault.lasts ? " from then on" : "");
}

PointSpace::PointSpace(const Scenario& scenario, std::vector<Event> events, const Requests& requests)
    : events_(std::move(events)), requests_(requests) {
  for (std::size_t i = 0; i < kResources; ++i) tried_requests_[i] = std::min(requests[i], kMostRequests);
  for (std::size_t i = 0; i < events_.size(); ++i) {
    for (const FaultKind kind : kKinds) {
      if (!is_worth_trying(scenario, events_[i], kind)) continue;
      faults_.push_back({i, kind, false});
      if (can_last(kind)) faults_.push_back({i, kind, true});
    }
    if (changes_disk(events_[i].call)) crashes_.push_back(i);
  }
  if (!crashes_.empty()) crashes_.push_back(events_.size());
}

std::uint64_t PointSpace::tried_requests() const {
  return std::accumulate(tried_requests_.begin(), tried_requests_.end(), std::uint64_t{0});
}

std::uint64_t PointSpace::size() const {
  return faults_.size() + crashes_.size() * kSurvivals + tried_requests() + faults_.size() / 2;
}

Point PointSpace::at(std::uint64_t number, std::uint64_t variation) const {
  if (number < faults_.size()) return fault(number, variation);
  number -= faults_.size();
  if (number < crashes_.size() * kSurvivals) return crash(number, variation);
  number -= crashes_.size() * kSurvivals;
  if (number < tried_requests()) return refusal(number, variation);
  return two_faults(number - tried_requests(), variation);
}

Fault PointSpace::fault_of(const FaultyCall& call, std::uint64_t variation) const {
  const Event& event = events_[call.event];
  return {event.name, event.number, call.kind, call.lasts, mixed(variation + 1)};
}

Point PointSpace::fault(std::uint64_t number, std::uint64_t variation) const {
  Point point{.variation = variation};
  point.faults.calls = {fault_of(faults_[number], variation)};
  point.words = words_of(point.faults.calls[0]);
  return point;
}

Point PointSpace::crash(std::uint64_t number, std::uint64_t variation) const {
  Point point{.kind = PointKind::kCrash, .variation = variation};
  point.crash_at = crashes_[number / kSurvivals];
  point.survival = static_cast<Survival>(number % kSurvivals);
  point.words = "crash before " + (point.crash_at == events_.size() ? "the end" : events_[point.crash_at].name) +
                "; of what is not synced survives: " + std::string(kSurvivalNames[number % kSurvivals]);
  return point;
}

Point PointSpace::refusal(std::uint64_t number, std::uint64_t variation) const {
  std::size_t resource = 0;
  for (; number >= tried_requests_[resource]; ++resource) number -= tried_requests_[resource];
  const std::uint64_t count = requests_[resource];
  const std::uint64_t step = std::max<std::uint64_t>(1, count / tried_requests_[resource]);
  const std::uint64_t request = std::min(number * step + mixed(variation) % step, count - 1);
  Point point{.kind = PointKind::kRefusal, .variation = variation};
  point.faults.refusal = {static_cast<Resource>(resource), request};
  point.words = "refused " + std::string(resource_name(point.faults.refusal.resource)) + " " + std::to_string(request) +
                " of " + std::to_string(count);
  return point;
}

Point PointSpace::two_faults(std::uint64_t number, std::uint64_t variation) const {
  std::uint64_t first = mixed(number + 77 * variation) % faults_.size();
  std::uint64_t second = mixed(number * 31 + variation) % faults_.size();
  if (second < first) std::swap(first, second);  // the first to come is sure to fire
  Point point = fault(first, variation);
  point.kind = variation % 2 == 0 ? PointKind::kTwoFaults : PointKind::kFaultThenCrash;
  if (point.kind == PointKind::kTwoFaults) {
    point.faults.calls.push_back(fault_of(faults_[second], variation + 1));
    point.words += " and " + words_of(point.faults.calls[1]);
  } else {
    point.survival = static_cast<Survival>(mixed(number + variation) % kSurvivals);
    point.words += ", then a crash";
  }
  return point;
}

}  // namespace spillway::sweep
