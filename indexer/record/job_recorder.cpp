#include "indexer/record/job_recorder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace spillway {

namespace {

// Only observes, so an error (a file that is renamed meanwhile) is no error of the job, and does not pass through its
// file system.
std::uint64_t bytes_below(const std::string& directory) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const std::uintmax_t size = at->file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

// The resident set, as resident_bytes() reads it, at a tenth of the time: samples are frequent.
std::uint64_t sampled_resident_bytes(const FileDescriptor& statm) {
  std::array<char, 128> text{};
  if (statm.get() < 0 || pread(statm.get(), text.data(), text.size() - 1, 0) <= 0) return 0;
  char* resident = nullptr;
  std::strtoull(text.data(), &resident, 10);
  return std::strtoull(resident, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void take_larger(std::vector<std::uint64_t>& values, const std::vector<std::uint64_t>& others) {
  values.resize(std::max(values.size(), others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) values[i] = std::max(values[i], others[i]);
}

}  // namespace

void JobRecorder::start(const MemoryBudget& budget, const TempSpace& temp, const std::string& index_path) {
  budget_ = &budget;
  temp_ = &temp;
  index_path_ = index_path;
  statm_ = FileDescriptor(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {  // no thread is left: the report has no samples
  }
}

void JobRecorder::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) seconds_ = timeline_.now();
    stopping_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void JobRecorder::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    add(take());
    wake_.wait_for(lock, period_, [this] { return stopping_; });
  }
  add(take());
}

// Requires, here and below: mutex_ is held.
JobRecorder::Sample JobRecorder::take() {
  Sample sample{.begin = timeline_.now()};
  for (const auto& [name, bytes] : budget_->account()->consumers()) {
    auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) found = names_.insert(names_.end(), name);
    const auto place = static_cast<std::size_t>(found - names_.begin());
    sample.consumers.resize(std::max(sample.consumers.size(), place + 1));
    sample.consumers[place] = bytes;
  }
  sample.resident_bytes = sampled_resident_bytes(statm_);
  sample.scratch_bytes = temp_->used_bytes();
  constexpr double kIndexPeriod = 0.1;  // seconds: reading a directory takes longer than the rest of a sample
  if (stopping_ || sample.begin >= index_read_at_ + kIndexPeriod) {
    // A finished index has moved to its place, and the last sample finds nothing here.
    index_bytes_ = std::max(stopping_ ? index_bytes_ : 0, bytes_below(index_path_));
    index_read_at_ = sample.begin;
  }
  sample.index_bytes = index_bytes_;
  return sample;
}

void JobRecorder::add(Sample&& sample) {
  if (samples_.size() == kMostSamples) {
    for (std::size_t i = 0; i < kMostSamples / 2; ++i) {
      Sample &first = samples_[2 * i], &second = samples_[2 * i + 1];
      take_larger(first.consumers, second.consumers);
      first.resident_bytes = std::max(first.resident_bytes, second.resident_bytes);
      first.scratch_bytes = std::max(first.scratch_bytes, second.scratch_bytes);
      first.index_bytes = std::max(first.index_bytes, second.index_bytes);
      if (i != 0) samples_[i] = std::move(first);
    }
    samples_.resize(kMostSamples / 2);
    period_ *= 2;
  }
  samples_.push_back(std::move(sample));
}

JobRecord JobRecorder::record(std::size_t most_consumers) const {
  JobRecord record{.seconds = seconds_, .lanes = timeline_.lanes(), .gpus = gpus_};
  for (const Sample& sample : samples_) {
    record.begins.push_back(sample.begin);
    record.resident_bytes.push_back(sample.resident_bytes);
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> peaks;  // of each consumer
  for (std::size_t i = 0; i < names_.size(); ++i) {
    std::uint64_t peak = 0;
    for (const Sample& sample : samples_) peak = std::max(peak, i < sample.consumers.size() ? sample.consumers[i] : 0);
    if (peak != 0) peaks.emplace_back(peak, i);
  }
  std::sort(peaks.rbegin(), peaks.rend());
  for (std::size_t k = 0; k < peaks.size(); ++k) {
    if (k <= most_consumers) {
      record.memory.names.push_back(k < most_consumers ? names_[peaks[k].second] : "others");
      record.memory.values.emplace_back(samples_.size());
    }
    for (std::size_t s = 0; s < samples_.size(); ++s) {
      const auto& consumers = samples_[s].consumers;
      if (peaks[k].second < consumers.size()) record.memory.values.back()[s] += consumers[peaks[k].second];
    }
  }
  record.disk.names = {"scratch files", "index"};
  record.disk.values.resize(2);
  for (const Sample& sample : samples_) {
    record.disk.values[0].push_back(sample.scratch_bytes);
    record.disk.values[1].push_back(sample.index_bytes);
  }
  return record;
}

}  // namespace spillway
