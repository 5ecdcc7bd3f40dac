#include "tools/bench/sorts/gpu.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/base/stopwatch.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/memory.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/registry.hpp"

namespace spillway {

namespace {

// Copies up, sorts and copies down on one stream, with events between the steps.
class TimedPass {
 public:
  explicit TimedPass(int gpu) : stream_(gpu) { stream_.make_current(); }

  const GpuStream& stream() const { return stream_; }

  // Calls the three, which put work on the stream, and waits for it. Fills times.up, times.sort and times.down; returns
  // the seconds of the whole by the host's clock.
  template <typename Up, typename Sort, typename Down>
  double run(Up up, Sort sort, Down down, SortTimes& times) {
    stream_.make_current();
    const Stopwatch watch;
    begin_.record(stream_);
    up();
    up_done_.record(stream_);
    sort();
    sorted_.record(stream_);
    down();
    end_.record(stream_);
    stream_.synchronize();
    const double seconds = watch.seconds();
    times.up = up_done_.since_ms(begin_) / 1000;
    times.sort = sorted_.since_ms(up_done_) / 1000;
    times.down = end_.since_ms(sorted_) / 1000;
    return seconds;
  }

 private:
  GpuStream stream_;
  GpuEvent begin_, up_done_, sorted_, end_;
};

// Pinned host memory, and its reservation.
struct PaidPinned {
  Reservation paid;
  PinnedBuffer buffer;
  PaidPinned() = default;
  PaidPinned(MemoryBudget& budget, std::size_t bytes)
      : paid(budget.reserve(bytes, "pinned memory of the benchmark")), buffer(bytes) {}
};

template <typename Sorter>
std::vector<const Sorter*> found_sorters(const std::vector<std::string_view>& names,
                                         const Sorter* (*find)(std::string_view)) {
  std::vector<const Sorter*> sorters;
  for (const std::string_view name : names) {
    sorters.push_back(find(name));
    if (sorters.back() == nullptr) throw GpuError("the sorter " + std::string(name) + " is not in this program");
  }
  return sorters;
}

struct RecordSpace {
  RecordSpace(RecordInput& records, const SortPlace& place, std::size_t scratch_bytes, MemoryBudget& budget)
      : input(records),
        gpu_pass(*place.gpu),
        d_keys(*place.gpu, input.records().size_bytes()),
        d_scratch(*place.gpu, scratch_bytes),
        is_profiled(place.is_profiled) {
    if (place.transfers == Transfers::kMeasured) pinned = PaidPinned(budget, input.records().size_bytes());
  }
  bool has_transfers() const { return pinned.buffer.size() != 0; }
  std::span<std::uint64_t> pinned_keys() const { return pinned.buffer.as<std::uint64_t>(input.records().size()); }

  RecordInput& input;
  TimedPass gpu_pass;
  DeviceBuffer d_keys, d_scratch;
  bool is_profiled;
  PaidPinned pinned;
};

class GpuRecordSort final : public TimedSort {
 public:
  GpuRecordSort(const DeviceRecordSorter& sorter, std::shared_ptr<RecordSpace> space)
      : sorter_(sorter), space_(std::move(space)), profiles_next_(space_->is_profiled) {}

  std::string_view name() const override { return sorter_.name(); }
  bool on_gpu() const override { return true; }
  std::optional<bool> is_stable() const override { return sorter_.stable(); }
  bool is_baseline() const override { return find_device_record_sorter(sorter_.name()) == nullptr; }
  std::uint64_t scratch_bytes() const override {
    return sorter_.scratch_bytes(space_->input.records().size(), space_->input.bits());
  }
  // With transfers, the time of the sort alone is that of the pass from pinned memory; the pass from pageable memory
  // gives only its whole time.
  SortTimes run() override {
    SortTimes times, of_pageable;
    const double pageable = pass(space_->input.result(), of_pageable);
    if (!space_->has_transfers()) return {of_pageable.sort, {}, {}, {}, {}, {}};
    times.pinned = pass(space_->pinned_keys(), times);
    times.pageable = pageable;
    return times;
  }
  bool is_right() const override {
    const RecordInput& input = space_->input;
    const EqualKeys equal = equal_keys_of(sorter_);
    return input.is_sorted_form(space_->input.result(), equal) &&
           (!space_->has_transfers() || input.is_sorted_form(space_->pinned_keys(), equal));
  }

 private:
  // Copies the input to `host`, then sorts it from there and back.
  double pass(std::span<std::uint64_t> host, SortTimes& times) {
    std::memcpy(host.data(), space_->input.records().data(), host.size_bytes());
    const GpuStreamHandle stream = space_->gpu_pass.stream().handle();
    auto* const d_keys = reinterpret_cast<std::uint64_t*>(space_->d_keys.data());
    const std::uint64_t* d_sorted = nullptr;
    return space_->gpu_pass.run([&] { copy_to_device(d_keys, host.data(), host.size_bytes(), stream); },
                                [&] {
                                  const bool is_profiled = std::exchange(profiles_next_, false);
                                  if (is_profiled) begin_gpu_profile();
                                  d_sorted = sorter_.sort(d_keys, host.size(), space_->input.bits(),
                                                          space_->d_scratch.data(), stream);
                                  if (is_profiled) end_gpu_profile();
                                },
                                [&] { copy_to_host(host.data(), d_sorted, host.size_bytes(), stream); }, times);
  }

  const DeviceRecordSorter& sorter_;
  std::shared_ptr<RecordSpace> space_;
  bool profiles_next_;
};

struct StringSpace {
  StringSpace(StringInput& strings, const SortPlace& place, std::size_t scratch_bytes, MemoryBudget& budget)
      : input(strings),
        gpu_pass(*place.gpu),
        d_bytes(*place.gpu, device_aligned(input.bytes().size() + 16)),
        d_offsets(*place.gpu, input.offsets().size_bytes()),
        d_order(*place.gpu, input.result().size_bytes()),
        d_scratch(*place.gpu, scratch_bytes),
        steps(place.steps) {
    if (place.transfers == Transfers::kLeftOut) return;
    pinned_bytes = PaidPinned(budget, input.bytes().size());
    pinned_offsets = PaidPinned(budget, input.offsets().size_bytes());
    pinned_order = PaidPinned(budget, input.result().size_bytes());
    std::memcpy(pinned_bytes.buffer.data(), input.bytes().data(), input.bytes().size());
    std::memcpy(pinned_offsets.buffer.data(), input.offsets().data(), input.offsets().size_bytes());
  }
  bool has_transfers() const { return pinned_offsets.buffer.size() != 0; }

  StringInput& input;
  TimedPass gpu_pass;
  DeviceBuffer d_bytes, d_offsets, d_order, d_scratch;
  StepTimes steps;
  PaidPinned pinned_bytes, pinned_offsets, pinned_order;
};

class GpuStringSort final : public TimedSort {
 public:
  GpuStringSort(const DeviceStringSorter& sorter, std::shared_ptr<StringSpace> space)
      : sorter_(sorter), space_(std::move(space)) {}

  std::string_view name() const override { return sorter_.name(); }
  bool on_gpu() const override { return true; }
  bool is_baseline() const override { return find_device_string_sorter(sorter_.name()) == nullptr; }
  std::uint64_t scratch_bytes() const override {
    return sorter_.scratch_bytes(space_->input.strings().size(), space_->input.bytes().size());
  }
  SortTimes run() override {
    SortTimes times, of_pageable;
    const double pageable =
        pass(space_->input.bytes().data(), space_->input.offsets().data(), space_->input.result().data(), of_pageable);
    if (!space_->has_transfers()) return {of_pageable.sort, {}, {}, {}, {}, std::move(of_pageable.steps)};
    times.pinned = pass(space_->pinned_bytes.buffer.data(), space_->pinned_offsets.buffer.data(),
                        space_->pinned_order.buffer.data(), times);
    times.pageable = pageable;
    return times;
  }
  bool is_right() const override {
    const std::size_t count = space_->input.strings().size();
    return space_->input.is_order(space_->input.result()) &&
           (!space_->has_transfers() || space_->input.is_order(space_->pinned_order.buffer.as<std::uint32_t>(count)));
  }

 private:
  // Overwrites h_order, then fills it with the order.
  double pass(const void* h_bytes, const void* h_offsets, void* h_order, SortTimes& times) {
    StringSpace& space = *space_;
    const std::size_t count = space.input.strings().size(), total_bytes = space.input.bytes().size();
    std::memset(h_order, 0xFF, count * sizeof(std::uint32_t));
    const GpuStreamHandle stream = space.gpu_pass.stream().handle();
    auto* const d_offsets = reinterpret_cast<std::uint64_t*>(space.d_offsets.data());
    auto* const d_order = reinterpret_cast<std::uint32_t*>(space.d_order.data());
    return space.gpu_pass.run(
        [&] {
          copy_to_device(space.d_bytes.data(), h_bytes, total_bytes, stream);
          copy_to_device(d_offsets, h_offsets, (count + 1) * sizeof(std::uint64_t), stream);
        },
        [&] {
          const DeviceStrings strings{space.d_bytes.data(), d_offsets, count, total_bytes};
          if (space.steps == StepTimes::kMeasured) {
            times.steps = sorter_.sort_in_steps(strings, d_order, space.d_scratch.data(), stream);
          } else {
            sorter_.sort(strings, d_order, nullptr, space.d_scratch.data(), stream);
          }
        },
        [&] { copy_to_host(h_order, d_order, count * sizeof(std::uint32_t), stream); }, times);
  }

  const DeviceStringSorter& sorter_;
  std::shared_ptr<StringSpace> space_;
};

}  // namespace

std::vector<std::unique_ptr<TimedSort>> gpu_record_sorts(const std::vector<std::string_view>& names, RecordInput& input,
                                                         const SortPlace& place, MemoryBudget& budget) {
  const auto sorters = found_sorters(names, find_device_record_contestant);
  GpuStream(*place.gpu).make_current();  // scratch sizes depend on the current GPU
  std::size_t scratch_bytes = 0;
  for (const DeviceRecordSorter* sorter : sorters) {
    scratch_bytes = std::max(scratch_bytes, sorter->scratch_bytes(input.records().size(), input.bits()));
  }
  const auto space = std::make_shared<RecordSpace>(input, place, scratch_bytes, budget);
  std::vector<std::unique_ptr<TimedSort>> sorts;
  for (const DeviceRecordSorter* sorter : sorters) sorts.push_back(std::make_unique<GpuRecordSort>(*sorter, space));
  return sorts;
}

std::vector<std::unique_ptr<TimedSort>> gpu_string_sorts(const std::vector<std::string_view>& names, StringInput& input,
                                                         const SortPlace& place, MemoryBudget& budget) {
  const auto sorters = found_sorters(names, find_device_string_contestant);
  GpuStream(*place.gpu).make_current();
  std::size_t scratch_bytes = 0;
  for (const DeviceStringSorter* sorter : sorters) {
    scratch_bytes = std::max(scratch_bytes, sorter->scratch_bytes(input.strings().size(), input.bytes().size()));
  }
  const auto space = std::make_shared<StringSpace>(input, place, scratch_bytes, budget);
  std::vector<std::unique_ptr<TimedSort>> sorts;
  for (const DeviceStringSorter* sorter : sorters) sorts.push_back(std::make_unique<GpuStringSort>(*sorter, space));
  return sorts;
}

}  // namespace spillway
