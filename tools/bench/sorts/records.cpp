#include "tools/bench/sorts/records.hpp"

#include <tbb/task_arena.h>

#include <algorithm>

#include "io/base/stopwatch.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/sorters.hpp"
#include "tools/bench/sorts/gpu.hpp"

namespace spillway {

namespace {

class CpuRecordSort final : public TimedSort {
 public:
  CpuRecordSort(const RecordSorter& sorter, RecordInput& input, std::shared_ptr<Buffer> scratch, unsigned threads)
      : sorter_(sorter), input_(input), scratch_(std::move(scratch)), arena_(static_cast<int>(threads)) {}

  std::string_view name() const override { return sorter_.name(); }
  bool on_gpu() const override { return false; }
  std::optional<bool> is_stable() const override { return sorter_.stable(); }
  std::uint64_t scratch_bytes() const override { return sorter_.scratch_bytes(input_.records().size(), input_.bits()); }
  SortTimes run() override {
    SortTimes times;
    arena_.execute([&] {
      copy_records(input_.records(), input_.result());
      const Stopwatch watch;
      sorter_.sort(input_.result(), input_.bits(), scratch_->span());
      times.sort = watch.seconds();
    });
    return times;
  }
  bool is_right() const override { return input_.is_sorted_form(input_.result(), equal_keys_of(sorter_)); }

 private:
  const RecordSorter& sorter_;
  RecordInput& input_;
  std::shared_ptr<Buffer> scratch_;
  tbb::task_arena arena_;
};

}  // namespace

std::uint64_t record_bench_bytes(const std::vector<const RecordSorter*>& sorters, const RecordSet& set) {
  const BitRange bits{0, set.keys.bits};
  const std::size_t count = set.keys.count;
  std::uint64_t scratch_bytes =
      set.form == RecordForm::kKeys ? reference_record_sorter().scratch_bytes(count, bits) : 0;
  for (const RecordSorter* sorter : sorters) {
    if (!sorter->needs_gpu()) {
      scratch_bytes = std::max<std::uint64_t>(scratch_bytes, sorter->scratch_bytes(count, bits));
    }
  }
  return record_input_bytes(set) + scratch_bytes;
}

std::vector<std::unique_ptr<TimedSort>> timed_record_sorts(const std::vector<const RecordSorter*>& sorters,
                                                           RecordInput& input, const SortPlace& place,
                                                           MemoryBudget& budget) {
  std::size_t scratch_bytes = 0;
  std::vector<std::string_view> of_gpu;
  for (const RecordSorter* sorter : sorters) {
    if (sorter->needs_gpu()) {
      of_gpu.push_back(sorter->name());
    } else {
      scratch_bytes = std::max(scratch_bytes, sorter->scratch_bytes(input.records().size(), input.bits()));
    }
  }
  if (place.gpu && place.baselines == Baselines::kMeasured) {
    for (const auto* baseline : device_record_baselines()) of_gpu.push_back(baseline->name());
  }
  const auto scratch = std::make_shared<Buffer>(budget, scratch_bytes, "the scratch of a sorter");
  std::vector<std::unique_ptr<TimedSort>> sorts;
  for (const RecordSorter* sorter : sorters) {
    if (!sorter->needs_gpu()) sorts.push_back(std::make_unique<CpuRecordSort>(*sorter, input, scratch, place.threads));
  }
  if (!of_gpu.empty()) {
    for (auto& sort : gpu_record_sorts(of_gpu, input, place, budget)) sorts.push_back(std::move(sort));
  }
  return sorts;
}

nlohmann::ordered_json record_set_json(const RecordSet& set) {
  return {{"distribution", key_distribution_name(set.keys.distribution)},
          {"count", set.keys.count},
          {"bits", set.keys.bits},
          {"pairs", set.form == RecordForm::kPairs},
          {"bytes", set.keys.count * sizeof(std::uint64_t)}};
}

}  // namespace spillway
