// The stages of a job over time: spans of work, each in a lane of its stage. Its memory is bounded: when there are many
// spans, neighbours in a lane become one, which remembers how much of it was work.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace spillway {

// In the order in which a job comes to them.
enum class JobStage : std::uint8_t {
  kRevisits,
  kParse,
  kUpload,
  kSort,
  kEncode,
  kDownload,
  kSpill,
  kCompact,
  kMergePass,
  kIds,
  kDocuments,
  kMerge,
  kWrite,
  kCount
};

// As in the table of stages: "parse", "transfer up", ...
const char* job_stage_name(JobStage stage);

// Thread-safe. Times are seconds since the timeline was made.
class Timeline {
 public:
  static constexpr std::size_t kMostSpans = 3000;

  struct Span {
    double begin = 0, end = 0;
    double busy = 0;  // seconds of work in it
  };
  // Spans that did not overlap, in order. A stage has as many lanes as spans of it once overlapped.
  struct Lane {
    JobStage stage = JobStage::kParse;
    std::size_t number = 0;  // from 0, among those of the stage
    std::vector<Span> spans = {};
  };

  double now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  // A span that has ended, as measured by another clock. It takes the first lane that is free in that time.
  void add(JobStage stage, double begin, double end);
  // All lanes by stage. Spans that have not ended are not among them.
  std::vector<Lane> lanes() const;

 private:
  friend class StageSpan;
  struct OpenLane {
    Lane lane;
    bool is_taken = false;
  };
  std::size_t begin(JobStage stage);
  void end(std::size_t lane, double begin, double end);
  std::size_t free_lane(JobStage stage, double begin);
  void append(OpenLane& lane, const Span& span);
  void coarsen();
  std::vector<Span> joined(const std::vector<Span>& spans) const;

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::vector<OpenLane> lanes_;
  std::size_t spans_ = 0;
  double width_ = 0;  // neighbours that are together at most so long become one span
};

// A span from here to its end. Without a timeline it does nothing.
class StageSpan {
 public:
  StageSpan(Timeline* timeline, JobStage stage) : timeline_(timeline) {
    if (timeline_ == nullptr) return;
    begin_ = timeline_->now();
    lane_ = timeline_->begin(stage);
  }
  ~StageSpan() { end(); }
  StageSpan(const StageSpan&) = delete;
  StageSpan& operator=(const StageSpan&) = delete;

  // Idempotent.
  void end() {
    if (timeline_ == nullptr) return;
    timeline_->end(lane_, begin_, timeline_->now());
    timeline_ = nullptr;
  }

 private:
  Timeline* timeline_;
  std::size_t lane_ = 0;
  double begin_ = 0;
};

}  // namespace spillway
