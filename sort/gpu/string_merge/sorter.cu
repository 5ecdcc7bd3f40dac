#include "sort/gpu/string_merge/sorter.hpp"

#include <algorithm>
#include <bit>

#include "sort/gpu/device/counter_mailbox.cuh"
#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/launch_shape.cuh"
#include "sort/gpu/string/order.hpp"
#include "sort/gpu/string_merge/group_sort.hpp"
#include "sort/gpu/string_merge/groups.cuh"
#include "sort/gpu/string_merge/sources.cuh"

namespace spillway {

namespace {

using namespace string_merge;

// Sizes for an H200; other values are correct too.
constexpr std::uint32_t kMultiprocessors = 132;
constexpr std::uint32_t kSurveyBlocks = kMultiprocessors * 8;
// Up to this many tiles run at once. Up to there, blocks find their own cuts: 1 M random strings take 0.257 ms instead
// of 0.306.
constexpr std::size_t kFusedTiles = kMultiprocessors * 7;
// Blocks get fewer strings where there are few in all, so that every multiprocessor has work.
constexpr std::uint32_t kFinishBlocks = kMultiprocessors * 4, kMinBlockStrings = 256;

std::size_t tiles_of(std::size_t count) { return (count + kTile - 1) / kTile; }

// Cleared before the first kernel.
struct RoundState {
  MergeSet set;
  unsigned long long counters[2];  // groups found by even and by odd rounds
};

struct RoundLists {
  MergeGroup* d_groups[2];
  std::uint32_t* d_cuts;
  RoundState* d_state;

  RoundLists(DeviceArena& arena, std::size_t count)
      : d_groups{arena.take<MergeGroup>(most_merge_groups(count)), arena.take<MergeGroup>(most_merge_groups(count))},
        d_cuts(arena.take<std::uint32_t>(tiles_of(count))),
        d_state(arena.take<RoundState>(1)) {}
};

struct Scratch {
  PrefixKey* d_keys[2];
  std::uint32_t* d_indices[2];
  RoundLists lists;

  Scratch(DeviceArena& arena, std::size_t count)
      : d_keys{arena.take<PrefixKey>(count), arena.take<PrefixKey>(count)},
        d_indices{arena.take<std::uint32_t>(count), arena.take<std::uint32_t>(count)},
        lists(arena, count) {}
  Scratch(const GroupSortMemory& memory, DeviceArena& arena, std::size_t count)
      : d_keys{memory.d_keys[0], memory.d_keys[1]},
        d_indices{memory.d_indices[0], memory.d_indices[1]},
        lists(arena, count) {}
};

// Returns the bytes of Scratch or RoundLists.
template <typename Layout>
std::size_t layout_bytes(std::size_t count) {
  DeviceArena counting = DeviceArena::for_counting();
  Layout(counting, count);
  return counting.used_bytes();
}

__global__ void __launch_bounds__(kThreads) make_groups_kernel(StringGroups groups, MergeGroup* d_groups) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= groups.count) return;
  const std::uint32_t first = groups.d_firsts[i];
  d_groups[i] = {groups.d_begins[i], first, groups.d_firsts[i + 1] - first, {groups.d_depths[i], PivotReach::kStep}};
}

// The rounds of one sort.
class MergeRounds {
 public:
  MergeRounds(const DeviceStrings& strings, std::uint32_t* d_order, Scratch scratch, cudaStream_t stream)
      : strings_(strings), d_order_(d_order), scratch_(scratch), d_set_(&scratch.lists.d_state->set), stream_(stream) {
    allow_shared_bytes(finish_groups_kernel, sizeof(FinishStorage));
    cuda_check(cudaMemsetAsync(scratch_.lists.d_state, 0, sizeof(RoundState), stream_));
  }

  void sort_all() {
    const std::size_t reads = std::max(strings_.count, strings_.total_bytes / 16);
    const unsigned survey_blocks = std::min(blocks_for(reads, kThreads), kSurveyBlocks);
    survey_kernel<<<survey_blocks, kThreads, 0, stream_>>>(strings_, d_set_);
    check_launch();
    round(AllStrings{}, strings_.count, {nullptr, 0});
    sort_groups(read_counter());
  }

  void sort(const StringGroups& groups) {
    copy_on_device(d_set_->used, groups.d_used, sizeof d_set_->used, stream_);
    make_groups_kernel<<<blocks_for(groups.count, kThreads), kThreads, 0, stream_>>>(groups,
                                                                                     scratch_.lists.d_groups[0]);
    check_launch();
    sort_groups(std::uint64_t{groups.count} << kGroupsFrom | groups.strings);
  }

 private:
  // Goes on with the groups that this round has listed. `found`: their number and that of their strings.
  void sort_groups(std::uint64_t found) {
    while (true) {
      const auto groups = static_cast<std::uint32_t>(found >> kGroupsFrom);
      if (groups == 0) return;
      const RoundGroups all{scratch_.lists.d_groups[round_ % 2],
                            static_cast<std::uint32_t>(std::bit_width(groups - 1))};
      ++round_;
      round(StringsOfGroups{all, groups, d_order_, 0, nullptr}, found & ((std::uint64_t{1} << kGroupsFrom) - 1), all);
      found = read_counter();
    }
  }

  unsigned long long* d_counter() const { return scratch_.lists.d_state->counters + round_ % 2; }
  std::uint64_t read_counter() const {
    thread_local CounterMailbox<unsigned long long> mailbox(1 << 13);  // a sort of few strings ends within these polls
    return mailbox.read(d_counter(), stream_);
  }

  // Sorts the `count` strings of the source by keys, and finishes all but the large groups of equal keys.
  template <typename Source>
  void round(const Source& source, std::size_t count, const RoundGroups& groups) {
    const auto tiles = static_cast<unsigned>(tiles_of(count));
    const auto output = [&](bool is_last) {
      return RoundOutput{scratch_.d_keys[1], scratch_.d_indices[1], is_last ? d_order_ : nullptr, groups};
    };
    sort_tiles_kernel<<<tiles, kThreads, 0, stream_>>>(RoundStrings{strings_, count, d_set_}, source,
                                                       output(tiles == 1), d_counter());
    check_launch();
    for (std::size_t run = kTile; run < count; run *= 2) {
      std::swap(scratch_.d_keys[0], scratch_.d_keys[1]);
      std::swap(scratch_.d_indices[0], scratch_.d_indices[1]);
      merge_pass({scratch_.d_keys[0], scratch_.d_indices[0], count, run}, output(2 * run >= count));
    }
    finish(count, groups);
  }

  void merge_pass(const RoundRuns& runs, const RoundOutput& output) {
    const std::size_t tiles = tiles_of(runs.count);
    const bool is_fused = tiles <= kFusedTiles;
    if (!is_fused) {
      find_cuts_kernel<<<blocks_for(tiles * 32, kThreads), kThreads, 0, stream_>>>(runs, scratch_.lists.d_cuts);
      check_launch();
    }
    merge_tiles_kernel<<<static_cast<unsigned>(tiles), kThreads, 0, stream_>>>(
        runs, is_fused ? nullptr : scratch_.lists.d_cuts, output);
    check_launch();
  }

  void finish(std::size_t count, const RoundGroups& groups) {
    const auto share = static_cast<std::uint32_t>(count / kFinishBlocks);
    const std::uint32_t block_strings = std::clamp(share / 32 * 32, kMinBlockStrings, kMaxBlockGroup);
    const SortedRound sorted{scratch_.d_keys[1], count,        groups, d_order_, scratch_.lists.d_groups[round_ % 2],
                             d_counter(),        block_strings};
    finish_groups_kernel<<<blocks_for(count, block_strings), kThreads, sizeof(FinishStorage), stream_>>>(
        strings_, d_set_, sorted);
    check_launch();
  }

  DeviceStrings strings_;
  std::uint32_t* d_order_;
  Scratch scratch_;
  MergeSet* d_set_;
  cudaStream_t stream_;
  unsigned round_ = 0;
};

}  // namespace

std::size_t GpuStringMergeSorter::scratch_bytes(std::size_t count, std::size_t) const {
  return count == 0 ? 0 : layout_bytes<Scratch>(count);
}

void sort_small_string_groups(const DeviceStrings& strings, const SmallStringGroups& groups, const MarkedOrder& order,
                              GpuStreamHandle stream) {
  allow_shared_bytes(finish_list_kernel, sizeof(FinishStorage));
  const auto most_groups = std::max<std::size_t>(strings.count / 2, 1);
  const auto list_blocks = static_cast<unsigned>(std::min<std::size_t>(most_groups, kFinishBlocks));
  finish_list_kernel<<<list_blocks, kThreads, sizeof(FinishStorage), stream>>>(strings, groups, order);
  check_launch();
}

std::size_t group_sort_bytes(std::size_t strings) { return layout_bytes<RoundLists>(strings); }

void sort_string_groups(const DeviceStrings& strings, const StringGroups& groups, std::uint32_t* d_order,
                        const GroupSortMemory& memory, GpuStreamHandle stream) {
  if (groups.count == 0) return;
  DeviceArena arena(memory.d_lists, group_sort_bytes(groups.strings));
  MergeRounds(strings, d_order, Scratch(memory, arena, groups.strings), stream).sort(groups);
}

void GpuStringMergeSorter::sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps,
                                std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  check_string_count(strings.count);
  if (strings.count == 0) return;
  DeviceArena arena(d_scratch, scratch_bytes(strings.count, 0));
  MergeRounds(strings, d_order, Scratch(arena, strings.count), stream).sort_all();
  if (d_lcps != nullptr) compute_lcps(strings, d_order, d_lcps, stream);
}

}  // namespace spillway
