#include "tests/support/gpu_host_forms/davidson_merge.hpp"

#include <algorithm>

#include "sort/gpu/interface/key_order.hpp"
#include "sort/gpu/merge/davidson_steps.hpp"
#include "tests/support/gpu_host_forms/merge_sort.hpp"

namespace spillway {

namespace {

// The shared memory of a block: a buffer for the sort of a tile, and two for the merges.
template <bool kHasValue>
class HostBlock {
 public:
  using Shape = DavidsonShape<kHasValue>;
  using SortBuffer = typename Shape::SortBuffer;
  using MergeBuffer = typename Shape::MergeBuffer;

  template <typename Less>
  void sort_tile(const RecordArray<kHasValue>& records, std::uint64_t begin, std::uint64_t end, Less less) {
    const unsigned present = static_cast<unsigned>(end - begin);
    for (unsigned i = 0; i < present; ++i) sort_buffer_.store(i, records.load(begin + i));
    for (unsigned i = 0; i < Shape::kTile; i += kSortedInRegisters) {
      sort_in_registers<kHasValue>(sort_buffer_, i, present, less);
    }
    for (unsigned run = kSortedInRegisters; run < present; run *= 2) merge_runs(run, present, less);
    for (unsigned i = 0; i < present; ++i) records.store(begin + i, sort_buffer_.load(i));
  }

  template <typename Less>
  void merge_tile(const RecordArray<kHasValue>& from, const RecordArray<kHasValue>& to, std::uint64_t begin,
                  const TileSources& sources, Less less) {
    for (unsigned i = 0; i < sources.count(); ++i) full_.store(i, from.load(sources.source(i)));
    for_each_thread([&](unsigned first) { merge_run_pairs<kHasValue>(full_, other_, sources, first, less); });
    if (sources.end[1] < sources.count()) {
      for_each_thread([&](unsigned first) { merge_halves<kHasValue>(full_, other_, sources, first, less); });
    }
    for (unsigned i = 0; i < sources.count(); ++i) to.store(begin + i, full_.load(i));
  }

 private:
  using Memory = std::vector<std::uint64_t>;
  template <typename Buffer>
  static Memory memory_of() {
    return Memory(Buffer::bytes_of(Shape::kTile) / sizeof(std::uint64_t));
  }
  template <typename Buffer>
  static Buffer buffer_of(Memory& memory) {
    return Buffer::at(reinterpret_cast<std::uint8_t*>(memory.data()), Shape::kTile);
  }

  // All threads read before the first writes.
  template <typename Less>
  void merge_runs(unsigned run, unsigned present, Less less) {
    struct Share {
      Record<kHasValue> records[Shape::kPerThread];
    };
    std::vector<Share> shares(Shape::kThreads);
    for (unsigned first = 0; first < present; first += Shape::kPerThread) {
      merge_inside_tile<kHasValue>(sort_buffer_, runs_around(first, run, present), first,
                                   shares[first / Shape::kPerThread].records, less);
    }
    for (unsigned i = 0; i < present; ++i) {
      sort_buffer_.store(i, shares[i / Shape::kPerThread].records[i % Shape::kPerThread]);
    }
  }

  // One step of all threads, from one buffer to the other.
  template <typename Step>
  void for_each_thread(Step step) {
    for (unsigned thread = 0; thread < Shape::kThreads; ++thread) step(thread * Shape::kMergedPerThread);
    std::swap(full_, other_);
  }

  Memory sort_memory_ = memory_of<SortBuffer>();
  Memory full_memory_ = memory_of<MergeBuffer>(), other_memory_ = memory_of<MergeBuffer>();
  SortBuffer sort_buffer_ = buffer_of<SortBuffer>(sort_memory_);
  MergeBuffer full_ = buffer_of<MergeBuffer>(full_memory_), other_ = buffer_of<MergeBuffer>(other_memory_);
};

template <bool kHasValue, typename Less>
void merge_pass(HostBlock<kHasValue>& block, const RecordArray<kHasValue>& from, const RecordArray<kHasValue>& to,
                const MergePass& pass, Less less) {
  constexpr unsigned kShift = DavidsonShape<kHasValue>::kShift;
  const std::uint64_t tiles = (pass.count + DavidsonShape<kHasValue>::kTile - 1) >> kShift;
  Split split = group_begin(pass, 0);
  for (std::uint64_t tile = 0; tile < tiles; ++tile) {
    const std::uint64_t first_of_group = tile >> pass.group_shift << pass.group_shift;
    if (tile == first_of_group) split = group_begin(pass, tile);
    const Split group = group_end(pass, tile);
    const std::uint64_t rest = std::min(pass.count - (tile << kShift), std::uint64_t{1} << kShift);
    // Searches from the begin of the group, as on the GPU: the merge of a tile does not find where the next one begins.
    const Split end =
        advanced(group_begin(pass, tile), group, ((tile - first_of_group) << kShift) + rest, from.keys, less);
    block.merge_tile(from, to, tile << kShift, tile_sources(split, end), less);
    split = end;
  }
}

// Returns the array with the result.
template <bool kHasValue, typename Less>
RecordArray<kHasValue> sort_records(RecordArray<kHasValue> records, RecordArray<kHasValue> other, std::uint64_t count,
                                    Less less) {
  constexpr unsigned kTile = DavidsonShape<kHasValue>::kTile;
  HostBlock<kHasValue> block;
  for (std::uint64_t begin = 0; begin < count; begin += kTile) {
    block.sort_tile(records, begin, std::min(count, begin + kTile), less);
  }
  unsigned group_shift = 0;
  for (std::uint64_t run = kTile; run < count; run *= kMergedRuns) {
    group_shift += 2;
    merge_pass(block, records, other, MergePass{count, run, group_shift}, less);
    std::swap(records, other);
  }
  return records;
}

}  // namespace

std::size_t DavidsonHostForm::scratch_bytes(std::size_t count, BitRange bits) const {
  return merge_host_scratch_bytes(count, bits);
}

void DavidsonHostForm::sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch) const {
  sort_keys_on_host(keys, bits, scratch, [](auto records, auto other, std::size_t count, auto less) {
    return sort_records<false>(records, other, count, less);
  });
}

void davidson_sort_pairs_on_host(RecordArray<true> records, RecordArray<true> other, std::size_t count, BitRange bits) {
  sort_pairs_on_host(records, other, count, bits, [](auto from, auto to, std::size_t size, auto less) {
    return sort_records<true>(from, to, size, less);
  });
}

}  // namespace spillway
