#include "indexer/job/merge_gpus.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "indexer/gpu/pipeline/kept_lists.hpp"
#include "indexer/gpu/pipeline/staying_rule.hpp"
#include "io/base/error.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/staged_copy.hpp"

namespace spillway {

namespace {

// Whether the merge is so long that lanes are worth their start, and half of the memory is free: lanes take host memory
// beside that of the merge, and up to 16 GiB of the GPU's.
bool is_worth_lanes(const GpuMergeWork& work, const MemoryBudget& budget) {
  if (budget.free_bytes() < budget.total_bytes() / 2) return false;
  double postings = 0, occurrences = 0;
  for (const auto& run : work.runs.runs) {
    postings += static_cast<double>(run->summary.posting_count);
    if (work.has_positions) occurrences += static_cast<double>(run->summary.occurrence_count);
  }
  return is_long_merge(postings, occurrences, work.threads);
}

bool gpus_merge(const GpuOptions& options, const GpuMergeWork& work, const MemoryBudget& budget) {
  if (options.merge != GpuMerge::kAuto) return options.merge == GpuMerge::kAlways;
  return options.memory_bytes == 0 && is_worth_lanes(work, budget);
}

// At most, of the source: a document that is cut between runs counts in each.
std::uint64_t document_count(const RunStore& runs) {
  std::uint64_t count = 0;
  for (const auto& run : runs.runs) count += run->summary.document_count;
  return count;
}

// Calls act(kept) for each run whose lists a GPU made.
template <typename Do>
void for_each_kept(const RunStore& runs, const Do& act) {
  for (const auto& run : runs.runs) {
    if (auto* const kept = dynamic_cast<KeptLists*>(run.get())) act(*kept);
  }
}

// Lists that GPUs hold need few threads, and the memory of 32 lanes takes 0.2 s to be locked.
constexpr unsigned kMostLanes = 16;

// The memory that a block is staged in.
constexpr std::size_t kStagingBytes = StagedCopy::memory_bytes(std::size_t{1} << 20);
// The most blocks that are staged at the same time.
constexpr std::size_t kMostStaged = 16;

// For at most `blocks` blocks at a time, in a sixteenth of what is free.
Buffer staging_memory(std::size_t blocks, MemoryBudget& budget) {
  const std::size_t bytes = std::min({blocks, kMostStaged, budget.free_bytes() / 16 / kStagingBytes}) * kStagingBytes;
  if (bytes == 0) return {};
  try {
    if (auto taken = budget.try_reserve(bytes, "lists that come from GPUs")) return Buffer(std::move(*taken), bytes);
  } catch (const BudgetError&) {  // the system has no memory for it
  }
  return {};
}

// Brings the lists down that stayed on GPUs alone, until `is_stopped`, which may be null. ListsLostError.
void bring_down(const RunStore& runs, unsigned threads, MemoryBudget& budget,
                const std::atomic<bool>* is_stopped = nullptr) {
  std::vector<KeptLists*> staying;
  for_each_kept(runs, [&](KeptLists& kept) {
    if (!kept.is_on_host()) staying.push_back(&kept);
  });
  if (staying.empty()) return;
  Buffer staging = staging_memory(std::min<std::size_t>(threads, staying.size()), budget);
  const std::size_t staged = staging.size() / kStagingBytes;
  const std::size_t turns = staged != 0 ? staged : std::min<std::size_t>(threads, staying.size());
  std::atomic<std::size_t> next = 0;
  tbb::task_arena(static_cast<int>(threads)).execute([&] {
    // Other threads of the arena help to check what has come.
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, turns, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          const std::span<std::uint8_t> share =
              staged == 0 ? std::span<std::uint8_t>()
                          : std::span(staging.data() + range.begin() * kStagingBytes, kStagingBytes);
          for (std::size_t i = next++; i < staying.size(); i = next++) {
            if (is_stopped != nullptr && *is_stopped) return;
            try {
              staying[i]->bring_down(share);
            } catch (...) {
              next = staying.size();  // the other turns end
              throw;
            }
          }
        },
        tbb::simple_partitioner());
  });
}

bool lists_stay(const RunStore& runs) {
  bool stay = false;
  for_each_kept(runs, [&](const KeptLists& kept) { stay |= !kept.is_on_host(); });
  return stay;
}

void drop_device_lists(const RunStore& runs) {
  for_each_kept(runs, [](KeptLists& kept) { kept.drop_device_lists(); });
}

// The first of several threads that need lists on the host brings all of them down, the others wait.
void bring_all_for_cursors(const RunStore& runs, unsigned threads, MemoryBudget& budget) {
  const auto once = std::make_shared<std::once_flag>();
  for_each_kept(runs, [&](KeptLists& kept) {
    kept.bring_with(
        [&runs, threads, &budget, once] { std::call_once(*once, [&] { bring_down(runs, threads, budget); }); });
  });
}

// Takes the lists of runs that GPUs hold.
std::vector<DeviceLists> take_held(const RunStore& runs) {
  std::vector<DeviceLists> held;
  for_each_kept(runs, [&](KeptLists& kept) {
    if (auto lists = kept.take_device_lists()) held.push_back(std::move(*lists));
  });
  return held;
}

}  // namespace

MergeGpus::MergeGpus(const GpuOptions& options, const GpuMergeWork& work, MemoryBudget& budget, JobGpus& gpus)
    : options_(options),
      budget_(budget),
      gpus_(gpus),
      runs_(work.runs),
      threads_(work.threads),
      held_(take_held(work.runs)) {
  const bool merges = !gpus.used().empty() && work.gpus_work && gpus_merge(options, work, budget);
  if (budget.free_bytes() < budget.total_bytes() / 2) gpus.release();
  if (merges) take_memory(work);
  if (order_memory_.bytes() == 0) {
    held_.clear();
    bring_down(runs_, threads_, budget_);
    drop_device_lists(runs_);
  }
  bring_all_for_cursors(runs_, threads_, budget_);
  try {
    releasing_ = std::jthread([this] {
      if (lanes_) lanes_->make([this] { return make_lanes(); });
      held_.clear();
      bring_what_no_lane_holds();
      left_runs_.count_down();
      if (lanes_) {
        // Unlocking the memory of chunks makes the GPU wait, and lanes with it: they took twice the time beside it.
        lanes_->wait_for_last_ranges();
      }
      release();
      if (lanes_) lanes_->wait_for_end();
      memory_ = {};
      order_memory_ = {};
      gpus_.end();
    });
  } catch (const std::system_error&) {  // no thread is left
    if (lanes_) failure_ = "the system starts no more threads";
    left_runs_.count_down();
    lanes_.reset();
    held_.clear();
    memory_ = {};
    order_memory_ = {};
    bring_down(runs_, threads_, budget_);
    drop_device_lists(runs_);
    release();
    gpus_.end();
  }
}

// Threads of the merge need the lists where no lane holds them: they would wait for one block after the other.
void MergeGpus::bring_what_no_lane_holds() {
  if (lanes_ && lanes_->holds_lists()) return;
  try {
    bring_down(runs_, threads_, budget_, &ends_);
  } catch (const std::exception&) {  // the threads meet it, too
  }
}

void MergeGpus::take_memory(const GpuMergeWork& work) {
  const bool all_held = held_.size() == work.runs.runs.size();
  const unsigned wanted_lanes = all_held ? std::min(work.threads, kMostLanes) : work.threads;
  memory_ = reserve_batch_lanes(work.has_positions, wanted_lanes, budget_);
  const BatchLimits limits = gpu_batch_limits(work.has_positions);
  if (memory_.lanes == 0) {
    if (options_.merge != GpuMerge::kAlways) return;
    failure_ = "a thread takes " + std::to_string(gpu_batch_lane_bytes(limits) >> 20) +
               " MiB for that, and a quarter of what --memory has left is " +
               std::to_string(budget_.free_bytes() / 4 >> 20) + " MiB; give more";
    return;
  }
  lane_options_ = {.gpus = gpus_.used(),
                   .lanes = memory_.lanes,
                   .limits = limits,
                   .large = memory_.of_large.bytes() == 0 ? BatchLimits() : large_batch_limits(work.has_positions),
                   .document_count = document_count(work.runs),
                   .device_bytes = options_.memory_bytes,
                   .takes_less = false};
  // The lists that stay on GPUs go before the use of the GPUs ends: what is freed later would begin it again.
  lanes_.emplace(memory_.lanes * used_batch_bytes(limits), lists_stay(runs_), [this] { drop_lists_on_gpus(); });
  // Few lanes merge later than all threads do.
  const std::size_t order_bytes = most_order_bytes(held_);
  if (2 * memory_.lanes < wanted_lanes || !all_held || order_bytes > budget_.free_bytes() / 8) return;
  if (auto taken = budget_.try_reserve(order_bytes, "lists that GPUs merge")) order_memory_ = std::move(*taken);
}

// Makes the lanes beside the memory of the blocks, which takes 0.1 s to give back. Where that leaves too little, it
// first gives that memory back, and the lists that GPUs hold.
std::unique_ptr<BatchLanes> MergeGpus::make_lanes() {
  if (options_.memory_bytes == 0) {
    try {
      GpuBatchOptions lanes = lane_options_;
      lanes.held = std::move(held_);
      lanes.order_bytes = order_memory_.bytes();
      auto made = make_gpu_batch_lanes(lanes, budget_);
      order_memory_.shrink(made == nullptr ? 0 : made->order_bytes());
      return made;
    } catch (const GpuMemoryError&) {  // blocks have the memory
    }
  }
  gpus_.release_lanes();
  order_memory_ = {};
  bring_down(runs_, threads_, budget_);
  drop_device_lists(runs_);
  lane_options_.takes_less = true;
  return make_gpu_batch_lanes(lane_options_, budget_);
}

void MergeGpus::release() {
  gpus_.release();
  budget_.drop_kept();
}

// Called when no thread of the merge needs lists any more.
void MergeGpus::drop_lists_on_gpus() {
  ends_ = true;
  left_runs_.wait();
  drop_device_lists(runs_);
}

void MergeGpus::leave_runs() {
  left_runs_.wait();
  bring_down(runs_, threads_, budget_);
  drop_device_lists(runs_);
}

void MergeGpus::end() {
  ends_ = true;
  if (lanes_) lanes_->end();
  left_runs_.wait();
}

std::string MergeGpus::failure() const { return lanes_ ? lanes_->failure() : failure_; }

}  // namespace spillway
