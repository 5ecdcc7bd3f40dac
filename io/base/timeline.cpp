#include "io/base/timeline.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace spillway {

const char* job_stage_name(JobStage stage) {
  static constexpr const char* kNames[] = {"revisits",      "parse", "transfer up",  "sort",         "encode",
                                           "transfer down", "spill", "compact runs", "merge passes", "ids",
                                           "documents",     "merge", "write"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(JobStage::kCount));
  return kNames[static_cast<std::size_t>(stage)];
}

void Timeline::add(JobStage stage, double begin, double end) {
  const std::lock_guard lock(mutex_);
  append(lanes_[free_lane(stage, begin)], {begin, end, end - begin});
}

std::size_t Timeline::begin(JobStage stage) {
  const std::lock_guard lock(mutex_);
  const std::size_t lane = free_lane(stage, now());
  lanes_[lane].is_taken = true;
  return lane;
}

// Called by destructors. Without memory the span is lost, and the job goes on.
void Timeline::end(std::size_t lane, double begin, double end) {
  const std::lock_guard lock(mutex_);
  lanes_[lane].is_taken = false;
  try {
    append(lanes_[lane], {begin, end, end - begin});
  } catch (const std::bad_alloc&) {
    width_ = std::max(width_, now() / kMostSpans);
  }
}

// Requires, here and below: mutex_ is held.
std::size_t Timeline::free_lane(JobStage stage, double begin) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].lane.stage != stage) continue;
    const auto& spans = lanes_[i].lane.spans;
    if (!lanes_[i].is_taken && (spans.empty() || spans.back().end <= begin)) return i;
    ++number;
  }
  lanes_.push_back({{stage, number}});
  return lanes_.size() - 1;
}

void Timeline::append(OpenLane& lane, const Span& span) {
  auto& spans = lane.lane.spans;
  if (!spans.empty() && span.end - spans.back().begin <= width_) {
    spans.back().end = std::max(spans.back().end, span.end);
    spans.back().busy += span.busy;
    return;
  }
  spans.push_back(span);
  if (++spans_ > kMostSpans) coarsen();
}

// Each step doubles the length up to which neighbours are joined, until at most half of the spans are left. Two
// neighbours in a lane are then together longer than this, so that a lane has at most 2 * time / length of them.
void Timeline::coarsen() {
  width_ = std::max(width_, now() / kMostSpans);
  while (spans_ > kMostSpans / 2 && spans_ > lanes_.size()) {
    width_ *= 2;
    spans_ = 0;
    for (OpenLane& lane : lanes_) {
      lane.lane.spans = joined(lane.lane.spans);
      spans_ += lane.lane.spans.size();
    }
  }
}

std::vector<Timeline::Span> Timeline::joined(const std::vector<Span>& spans) const {
  std::vector<Span> joined;
  for (const Span& span : spans) {
    if (joined.empty() || span.end - joined.back().begin > width_) {
      joined.push_back(span);
    } else {
      joined.back().end = span.end;
      joined.back().busy += span.busy;
    }
  }
  return joined;
}

std::vector<Timeline::Lane> Timeline::lanes() const {
  const std::lock_guard lock(mutex_);
  std::vector<Lane> lanes;
  for (const OpenLane& lane : lanes_) {
    if (!lane.lane.spans.empty()) lanes.push_back(lane.lane);
  }
  std::stable_sort(lanes.begin(), lanes.end(), [](const Lane& a, const Lane& b) {
    return a.stage != b.stage ? a.stage < b.stage : a.number < b.number;
  });
  return lanes;
}

}  // namespace spillway
