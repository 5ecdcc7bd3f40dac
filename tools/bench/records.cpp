#include "tools/bench/records.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "corpora/synthetic/generate_keys.hpp"
#include "io/base/stopwatch.hpp"
#include "sort/gpu/registry.hpp"
#include "tools/bench/gpu.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

namespace {

constexpr std::size_t kGrain = std::size_t{1} << 16;
constexpr const char* kReference = "cpu-quick";  // what the others are compared with

// Of a multiset of keys: two sums of independent mixes, so that no two multisets that a broken sorter could make of one
// another have the same.
struct Fingerprint {
  std::uint64_t first = 0, second = 0;
  bool operator==(const Fingerprint&) const = default;
};

Fingerprint fingerprint(std::span<const std::uint64_t> keys) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, keys.size(), kGrain), Fingerprint{},
      [&](const tbb::blocked_range<std::size_t>& range, Fingerprint sum) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          SplitMix mixes(keys[i]);
          sum.first += mixes.next();
          sum.second += mixes.next() * mixes.next();
        }
        return sum;
      },
      [](const Fingerprint& a, const Fingerprint& b) {
        return Fingerprint{a.first + b.first, a.second + b.second};
      });
}

// body(begin, end) for pieces of [0, count), in parallel; whether all are true.
template <typename Body>
bool all_of_pieces(std::size_t count, Body body) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, count, kGrain), true,
      [&](const tbb::blocked_range<std::size_t>& range, bool so_far) {
        return so_far && body(range.begin(), range.end());
      },
      [](bool a, bool b) { return a && b; });
}

bool ascend(std::span<const std::uint64_t> keys) {
  return all_of_pieces(keys.size(), [&](std::size_t begin, std::size_t end) {
    return std::is_sorted(keys.data() + begin - (begin == 0 ? 0 : 1), keys.data() + end);
  });
}

void copy_keys(std::span<const std::uint64_t> from, std::span<std::uint64_t> to) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, from.size(), kGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      std::memcpy(to.data() + range.begin(), from.data() + range.begin(), range.size() * 8);
                    });
}

class CpuRecordSort final : public TimedSort {
 public:
  CpuRecordSort(const RecordSorter& sorter, RecordInput& input, std::shared_ptr<Buffer> scratch, unsigned threads)
      : sorter_(sorter), input_(input), scratch_(std::move(scratch)), arena_(static_cast<int>(threads)) {}

  std::string_view name() const override { return sorter_.name(); }
  bool on_gpu() const override { return false; }
  std::uint64_t scratch_bytes() const override { return sorter_.scratch_bytes(input_.keys().size(), input_.bits()); }
  SortTimes run() override {
    SortTimes times;
    arena_.execute([&] {
      copy_keys(input_.keys(), input_.result());
      const Stopwatch watch;
      sorter_.sort(input_.result(), input_.bits(), scratch_->span());
      times.sort = watch.seconds();
    });
    return times;
  }
  bool is_right() const override { return input_.is_sorted_form(input_.result()); }

 private:
  const RecordSorter& sorter_;
  RecordInput& input_;
  std::shared_ptr<Buffer> scratch_;
  tbb::task_arena arena_;
};

}  // namespace

std::uint64_t record_bench_bytes(const std::vector<const RecordSorter*>& sorters, const KeySetOptions& set) {
  const BitRange bits{0, set.bits};
  std::uint64_t scratch_bytes = find_record_sorter(kReference)->scratch_bytes(set.count, bits);
  for (const RecordSorter* sorter : sorters) {
    if (!sorter->needs_gpu()) {
      scratch_bytes = std::max<std::uint64_t>(scratch_bytes, sorter->scratch_bytes(set.count, bits));
    }
  }
  return 3 * set.count * sizeof(std::uint64_t) + scratch_bytes;
}

RecordInput::RecordInput(const KeySetOptions& set, unsigned threads, MemoryBudget& budget)
    : bits_(set.bits),
      keys_(budget, set.count * sizeof(std::uint64_t), "the keys of the benchmark"),
      expected_(budget, keys_.size(), "the sorted keys of the benchmark"),
      result_(budget, keys_.size(), "the result of a sorter") {
  fill_keys(KeySet(set), threads, keys_.as<std::uint64_t>());
  const auto expected = expected_.as<std::uint64_t>();
  copy_keys(keys(), expected);
  const RecordSorter& reference = *find_record_sorter(kReference);
  const Buffer scratch(budget, reference.scratch_bytes(set.count, bits()), "the scratch of a sorter");
  reference.sort(expected, bits(), {const_cast<std::uint8_t*>(scratch.data()), scratch.size()});
  throw_if_interrupted(received_signal());
  if (!ascend(expected) || fingerprint(expected) != fingerprint(keys())) {
    throw std::logic_error("the sorter that the others are compared with does not sort");
  }
}

bool RecordInput::is_sorted_form(std::span<const std::uint64_t> keys) const {
  const auto expected = view(expected_);
  return keys.size() == expected.size() && all_of_pieces(keys.size(), [&](std::size_t begin, std::size_t end) {
           return std::equal(keys.data() + begin, keys.data() + end, expected.data() + begin);
         });
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
      scratch_bytes = std::max(scratch_bytes, sorter->scratch_bytes(input.keys().size(), input.bits()));
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

}  // namespace spillway
