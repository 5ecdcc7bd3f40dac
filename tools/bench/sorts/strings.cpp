#include "tools/bench/sorts/strings.hpp"

#include <tbb/task_arena.h>

#include <algorithm>

#include "io/base/stopwatch.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/sorters.hpp"
#include "tools/bench/sorts/gpu.hpp"

namespace spillway {

namespace {

// A CPU sorter; or a GPU sorter without a form for data in GPU memory, which works from host memory and back.
class HostStringSort final : public TimedSort {
 public:
  HostStringSort(const StringSorter& sorter, StringInput& input, std::shared_ptr<Buffer> scratch,
                 const SortPlace& place)
      : sorter_(sorter),
        input_(input),
        scratch_(std::move(scratch)),
        steps_(place.steps),
        arena_(static_cast<int>(place.threads)) {}

  std::string_view name() const override { return sorter_.name(); }
  bool on_gpu() const override { return sorter_.needs_gpu(); }
  std::uint64_t scratch_bytes() const override { return sorter_.scratch_bytes(input_.strings().size()); }
  SortTimes run() override {
    SortTimes times;
    arena_.execute([&] {
      const Stopwatch watch;
      if (steps_ == StepTimes::kMeasured) {
        times.steps = sorter_.sort_in_steps(input_.strings(), input_.result(), scratch_->span());
      } else {
        sorter_.sort(input_.strings(), input_.result(), {}, scratch_->span());
      }
      times.sort = watch.seconds();
    });
    if (on_gpu()) times.pageable = times.sort;
    return times;
  }
  bool is_right() const override { return input_.is_order(input_.result()); }

 private:
  const StringSorter& sorter_;
  StringInput& input_;
  std::shared_ptr<Buffer> scratch_;
  StepTimes steps_;
  tbb::task_arena arena_;
};

bool has_device_form(const StringSorter& sorter) {
  return sorter.needs_gpu() && find_device_string_sorter(sorter.name()) != nullptr;
}

}  // namespace

std::vector<std::unique_ptr<TimedSort>> timed_string_sorts(const std::vector<const StringSorter*>& sorters,
                                                           StringInput& input, const SortPlace& place,
                                                           MemoryBudget& budget) {
  std::size_t scratch_bytes = 0;
  std::vector<std::string_view> of_gpu;
  for (const StringSorter* sorter : sorters) {
    if (has_device_form(*sorter)) {
      of_gpu.push_back(sorter->name());
    } else {
      scratch_bytes = std::max(scratch_bytes, sorter->scratch_bytes(input.strings().size()));
    }
  }
  if (place.gpu && place.baselines == Baselines::kMeasured) {
    for (const auto* baseline : device_string_baselines()) of_gpu.push_back(baseline->name());
  }
  const auto scratch = std::make_shared<Buffer>(budget, scratch_bytes, "the scratch of a sorter");
  std::vector<std::unique_ptr<TimedSort>> sorts;
  for (const StringSorter* sorter : sorters) {
    if (has_device_form(*sorter)) continue;
    sorts.push_back(std::make_unique<HostStringSort>(*sorter, input, scratch, place));
  }
  if (!of_gpu.empty()) {
    for (auto& sort : gpu_string_sorts(of_gpu, input, place, budget)) sorts.push_back(std::move(sort));
  }
  return sorts;
}

}  // namespace spillway
