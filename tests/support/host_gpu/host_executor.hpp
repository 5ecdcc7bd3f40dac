// The host as an executor of block passes (indexer/gpu/pipeline/executor.hpp): runs the steps one after the other, in
// ordinary memory. Every call that a GPU could fail counts as a GPU call (sort/gpu/device/faults.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "indexer/gpu/pipeline/block_packer.hpp"
#include "indexer/gpu/pipeline/executor.hpp"
#include "indexer/gpu/pipeline/layout.hpp"
#include "indexer/gpu/steps/distinct_tokens.hpp"
#include "indexer/gpu/steps/fold.hpp"
#include "indexer/gpu/steps/token_sums.hpp"
#include "indexer/gpu/steps/tokens.hpp"
#include "io/base/stopwatch.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/faults.hpp"
#include "sort/gpu/interface/string_sorter.hpp"
#include "sort/interface/record_sorter.hpp"
#include "sort/interface/string_sorter.hpp"
#include "sort/sorters.hpp"
#include "tests/support/host_gpu/host_steps.hpp"
#include "tests/support/host_gpu/sort_host_strings.hpp"

namespace spillway::testing {

using HostArenas = ArenaPool<Buffer>;
inline std::shared_ptr<HostArenas> make_host_arenas(unsigned count, std::size_t bytes, MemoryBudget& budget) {
  std::vector<Buffer> arenas;
  for (unsigned i = 0; i < count; ++i) arenas.emplace_back(budget, bytes, "an arena");
  return std::make_shared<HostArenas>(std::move(arenas));
}

class HostExecutor : public HostSteps {
 public:
  // `records` null: cpu-radix.
  HostExecutor(std::shared_ptr<HostArenas> arenas, const RecordSorter* records, const StringSorter& strings,
               MemoryBudget& budget, bool lists_stay = false)
      : arenas_(std::move(arenas)),
        budget_(budget),
        records_(sorter_of(records)),
        strings_(strings),
        lists_stay_(lists_stay) {
    count_gpu_call();
  }

  void prepare(const BlockPacker&) { count_gpu_call(); }
  void take_arena() { arena_ = arenas_->take(); }
  void give_arena_back() { arena_.reset(); }
  Buffer& arena() const { return *arena_; }
  PassScratch scratch(const BlockPassSize& size) const { return scratch_of(size, &records_, strings_); }
  static PassScratch scratch_of(const BlockPassSize& size, const RecordSorter* records, const StringSorter& strings) {
    return {host_sort_bytes(size.strings, strings), host_sort_bytes(token_table_slots(size.occurrences), strings),
            sorter_of(records).scratch_bytes(size.occurrences, {0, 64}), 0};
  }

  void start() {}
  template <typename Upload>
  void upload_in_turn(const Upload& upload) {
    mark(PassMark::kBegin);
    upload();
  }
  void mark(PassMark mark) { marks_[static_cast<std::size_t>(mark)] = watch_.seconds(); }

  template <typename Pack>
  void upload(std::uint8_t* to, std::size_t bytes, const Pack& pack) {
    count_gpu_call();
    constexpr std::size_t kRangeBytes = 64;  // small, so that chunks are cut everywhere
    for (std::size_t begin = 0; begin < bytes; begin += kRangeBytes) {
      pack(begin, std::span(to + begin, std::min(kRangeBytes, bytes - begin)));
    }
  }
  bool send(std::uint8_t* to, std::span<const std::uint8_t> from, std::span<std::uint8_t>) {
    count_gpu_call();
    std::memcpy(to, from.data(), from.size());
    return true;
  }
  void sum_tokens(std::size_t groups, const SumTokens& step, TokenSums* to, std::span<std::uint8_t> scratch) {
    reduce(groups, step, AddTokenSums{}, to, scratch);
  }
  template <typename Keys>
  void measure_groups(std::size_t groups, const MeasureGroup<Keys>& step) {
    for_copies(step.keys, groups, [&](const auto& keys, std::size_t group) { step.write(keys, group); });
  }
  template <typename Keys>
  void write_groups(std::size_t groups, const WriteGroup<Keys>& step) {
    for_copies(step.keys, groups, [&](const auto& keys, std::size_t group) {
      step.write(keys, group, {step.postings, 0}, {step.distances, 0});
    });
  }
  void compact(const CompactTokens& step) { for_each(step.groups, step); }
  void sort_strings(const DeviceStrings& strings, const MarkedOrder& out, std::span<std::uint8_t> scratch) {
    sort_host_strings(strings, out, scratch, strings_);
  }
  bool sorts_stably() const { return records_.stable(); }
  // Where the scratch has room for them, the sorted keys are there, as those of a GPU may be.
  std::uint64_t* sort_keys(std::uint64_t* keys, std::size_t count, BitRange bits, std::span<std::uint8_t> scratch) {
    records_.sort({keys, count}, bits, scratch);
    if (scratch.size() < count * sizeof(std::uint64_t)) return keys;
    std::memcpy(scratch.data(), keys, count * sizeof(std::uint64_t));
    std::fill_n(keys, count, ~std::uint64_t{0});
    return reinterpret_cast<std::uint64_t*>(scratch.data());
  }

  Download download(const DownloadedArrays& arrays, std::size_t bytes) {
    Buffer memory = reserve_lists(bytes);
    count_gpu_call();
    for (const DownloadedArray& array : arrays) {
      if (array.bytes != 0) std::memcpy(memory.data() + array.host_offset, array.device, array.bytes);
    }
    mark(PassMark::kDownloaded);
    const std::uint8_t* const data = memory.data();
    return {data, std::move(memory)};
  }
  std::shared_ptr<std::uint8_t> hold(const DownloadedArrays& arrays, std::size_t bytes) {
    count_gpu_call();
    if (!holds_) return nullptr;
    const std::shared_ptr<std::uint8_t> memory(
        static_cast<std::uint8_t*>(std::aligned_alloc(kDeviceAlignment, device_aligned(bytes + 1))), std::free);
    for (const DownloadedArray& array : arrays) {
      if (array.bytes != 0) std::memcpy(memory.get() + array.host_offset, array.device, array.bytes);
    }
    return memory;
  }
  void hold_no_more() noexcept { holds_ = false; }
  bool lists_stay(std::uint64_t, std::uint64_t) const { return lists_stay_; }
  static auto bringer() {
    return [](const std::uint8_t* from, std::uint8_t* to, std::size_t bytes, std::span<std::uint8_t> staging) {
      count_gpu_call();
      if (staging.empty()) {
        std::memcpy(to, from, bytes);
        return;
      }
      for (std::size_t at = 0; at < bytes; at += staging.size()) {
        const std::size_t step = std::min(staging.size(), bytes - at);
        std::memcpy(staging.data(), from + at, step);
        std::this_thread::yield();  // to a thread that was wrongly given the same memory
        std::memcpy(to + at, staging.data(), step);
      }
    };
  }
  Buffer reserve_lists(std::size_t bytes) {
    count_gpu_call();
    auto reservation = budget_.try_reserve(bytes);
    if (!reservation) throw GpuMemoryError("no " + std::to_string(bytes) + " bytes for the lists of a block");
    return {std::move(*reservation), bytes};
  }
  PassSeconds seconds() const {
    PassSeconds seconds;
    for (std::size_t i = 0; i < kPassSteps; ++i) seconds[i] = marks_[i + 1] - marks_[i];
    return seconds;
  }
  void abandon() noexcept {}

 private:
  // Calls fold(keys, group) with a copy of the keys for a few groups, as thread blocks of a GPU have.
  template <typename Keys, typename Fold>
  void for_copies(const Keys& keys, std::size_t groups, const Fold& fold) {
    constexpr unsigned kGroups = 3;
    for_each((groups + kGroups - 1) / kGroups, [&](std::size_t tile) {
      KeyCopy<Keys, kGroups> copy;
      copy.copy(keys, tile * kGroups, 0, 1);
      const CopiedKeys copied(keys, tile * kGroups, copy);
      for (std::size_t group = tile * kGroups; group < std::min(groups, (tile + 1) * kGroups); ++group) {
        fold(copied, group);
      }
    });
  }
  static const RecordSorter& sorter_of(const RecordSorter* records) {
    return records == nullptr ? *find_record_sorter("cpu-radix") : *records;
  }

  const std::shared_ptr<HostArenas> arenas_;
  HostArenas::Turn arena_;
  MemoryBudget& budget_;
  const RecordSorter& records_;
  const StringSorter& strings_;
  const bool lists_stay_;
  bool holds_ = true;
  Stopwatch watch_;
  std::array<double, kPassMarks> marks_{};
};

}  // namespace spillway::testing
