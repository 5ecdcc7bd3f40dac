// Records a job for its report (`index --report`): the spans of its stages, and samples of its memory and disk space
// over time. A job without a report has none, which costs nothing.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/base/timeline.hpp"
#include "io/file/descriptor.hpp"
#include "io/memory/budget.hpp"
#include "io/scratch/temp_space.hpp"
#include "sort/gpu/device/status.hpp"

namespace spillway {

// Amounts over time: of each name one value a sample.
struct SampledAmounts {
  std::vector<std::string> names = {};
  std::vector<std::vector<std::uint64_t>> values = {};  // by name, then by sample
};

struct JobRecord {
  double seconds = 0;  // from the start of the recorder to the end of the job
  std::vector<Timeline::Lane> lanes = {};
  std::vector<double> begins = {};  // of the samples, in seconds
  SampledAmounts memory = {};       // reserved bytes by consumer
  std::vector<std::uint64_t> resident_bytes = {};
  SampledAmounts disk = {};        // scratch files, and the index that is written
  std::vector<GpuInfo> gpus = {};  // those that the job used
};

// One for each job. Its memory is bounded: 3,000 spans (Timeline) and 240 samples; when there are more samples,
// neighbours become one with the larger amounts, and samples are taken half as often.
class JobRecorder {
 public:
  static constexpr std::size_t kMostSamples = 240;

  // A sample takes about 60 us, so that a hundred a second take about half a percent of one processor.
  explicit JobRecorder(std::chrono::microseconds period = std::chrono::milliseconds(10)) : period_(period) {}
  Timeline& timeline() { return timeline_; }

  // Begins to sample on a thread of its own: a budget that keeps an account, scratch files, and all files in the
  // directory `index_path`. Requires: all last until stop(); called once.
  void start(const MemoryBudget& budget, const TempSpace& temp, const std::string& index_path);
  // Ends sampling. Idempotent, and nothing if it has not begun.
  void stop();
  ~JobRecorder() { stop(); }

  // The GPUs that the job used. Requires: no thread calls record() meanwhile.
  void note_gpus(std::vector<GpuInfo> gpus) { gpus_ = std::move(gpus); }

  // Requires: stop() was called. At most `most_consumers` have names; the others are summed.
  JobRecord record(std::size_t most_consumers = 7) const;

 private:
  struct Sample {
    double begin = 0;
    std::vector<std::uint64_t> consumers = {};  // in the order of names_
    std::uint64_t resident_bytes = 0, scratch_bytes = 0, index_bytes = 0;
  };
  void run();
  Sample take();
  void add(Sample&& sample);

  Timeline timeline_;
  const MemoryBudget* budget_ = nullptr;
  const TempSpace* temp_ = nullptr;
  std::string index_path_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool stopping_ = false;
  std::chrono::microseconds period_;
  std::vector<std::string> names_;
  std::vector<Sample> samples_;
  FileDescriptor statm_;
  std::uint64_t index_bytes_ = 0;
  double index_read_at_ = -1;
  double seconds_ = 0;
  std::vector<GpuInfo> gpus_;
  std::thread thread_;
};

// Samples a job while it lives, if there is a recorder. Requires: as JobRecorder::start().
class SampledJob {
 public:
  SampledJob(JobRecorder* recorder, const MemoryBudget& budget, const TempSpace& temp, const std::string& index_path)
      : recorder_(recorder) {
    if (recorder_ != nullptr) recorder_->start(budget, temp, index_path);
  }
  ~SampledJob() {
    if (recorder_ != nullptr) recorder_->stop();
  }
  SampledJob(const SampledJob&) = delete;
  SampledJob& operator=(const SampledJob&) = delete;

 private:
  JobRecorder* recorder_;
};

// The timeline of a recorder; nullptr without one.
inline Timeline* timeline_of(JobRecorder* recorder) { return recorder == nullptr ? nullptr : &recorder->timeline(); }

}  // namespace spillway
