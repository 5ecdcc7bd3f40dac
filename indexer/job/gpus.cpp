#include "indexer/job/gpus.hpp"

#include <future>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "io/base/error.hpp"
#include "sort/gpu/device/status.hpp"

namespace spillway {

void JobGpus::start(const JobPlan& plan) {
  if (!plan.gpu) return;
  try {
    lane_memory_ = budget_.reserve(plan.index.staging_bytes + plan.index.list_bytes, "the lanes of GPUs");
    lane_budget_.emplace(lane_memory_.bytes());
    if (plan.assumes_gpu) {
      starting_count_ = plan.gpu->all_lanes();
      starting_ = std::async(std::launch::async, [this, &plan] { return meet_and_make(plan); }).share();
    } else {
      lanes_ = make_gpu_lanes(*plan.gpu, *lane_budget_);
      used_ = plan.gpu->gpus;
    }
    take_pinned_slots(plan.index);
  } catch (...) {
    release();
    throw;
  }
}

GpuLanes JobGpus::meet_and_make(const JobPlan& plan) {
  using Kind = GpuStartError::Kind;
  try {
    met_ = meet_gpu(options_, plan);
    if (met_.mode.gpus.empty()) throw GpuStartError(Kind::kMissing, met_.mode.gpu_failure);
    if (!met_.lanes) throw GpuStartError(Kind::kSmaller, "a GPU has less free memory than blocks could use");
    return make_gpu_lanes(*met_.lanes, *lane_budget_);
  } catch (const GpuStartError&) {
    throw;
  } catch (const UsageError& error) {  // --gpu names one that is not there: the new plan finds that, too
    throw GpuStartError(Kind::kMissing, error.what());
  } catch (const GpuError& error) {
    throw GpuStartError(Kind::kFailed, error.what());
  }
}

// Without pinned slots, chunks are copied before the upload.
void JobGpus::take_pinned_slots(const IndexPlan& plan) {
  if (plan.pinned_bytes == 0) return;
  try {
    pinned_slots_.emplace(budget_, plan.pinned_bytes, plan.slot_bytes);
  } catch (const BudgetError& error) {
    context_.say(std::string("chunks are not kept in pinned slots: ") + error.what());
  }
}

BlockSorters JobGpus::sorters(const BlockSorter& cpu) const {
  return {.cpu = cpu, .lanes = lanes_, .starting = starting_, .starting_count = starting_count_};
}

const MetGpu* JobGpus::await() {
  if (!starting_.valid()) return nullptr;
  starting_.get();
  used_ = met_.lanes->gpus;
  return &met_;
}

void JobGpus::release_lanes() {
  if (starting_.valid()) starting_.wait();
  starting_ = {};
  starting_count_ = 0;
  lanes_.clear();
}

void JobGpus::release() {
  release_lanes();
  pinned_slots_.reset();
  lane_memory_.release();
}

void JobGpus::end() {
  if (!context_.ends_gpu_use) return;
  try {
    std::vector<std::future<void>> ends;
    for (const int gpu : std::exchange(used_, {})) ends.push_back(std::async([gpu] { end_gpu_use(gpu); }));
    for (const auto& end : ends) end.wait();
  } catch (const std::bad_alloc&) {
    return;  // the contexts end with the process
  }
}

}  // namespace spillway
