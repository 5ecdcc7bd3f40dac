// The host in the place of a GPU: runs the steps of a visit one after the other, in ordinary memory. For tests; and the
// list of what a machine has to have. Every step counts as a GPU call that can be made to fail.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/pipeline/arena_share.hpp"
#include "indexer/gpu/pipeline/executor.hpp"
#include "indexer/gpu/pipeline/layout.hpp"
#include "io/base/stopwatch.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/faults.hpp"
#include "sort/interface/record_sorter.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

class HostExecutor {
 public:
  // Without a sorter of records only for blocks that need none (ChunkForm::kTokens).
  HostExecutor(std::shared_ptr<HostArenaShare> memory, const RecordSorter* records, const StringSorter& strings,
               MemoryBudget& budget)
      : memory_(std::move(memory)), budget_(budget), records_(records), strings_(strings) {
    count_gpu_call();
  }

  // The visit's memory, and what of it the consumers need.
  ArenaShare& share() const { return memory_->share(); }
  PassScratch scratch(const BlockPassSize& size) const { return scratch_of(size, records_, strings_); }
  static PassScratch scratch_of(const BlockPassSize& size, const RecordSorter* records, const StringSorter& strings) {
    return {size.strings * sizeof(StringRef) + strings.scratch_bytes(size.strings),
            records == nullptr ? 0 : records->scratch_bytes(size.occurrences, {0, 64}), 0};
  }

  void start() {}
  void mark(PassMark mark) { marks_[static_cast<std::size_t>(mark)] = watch_.seconds(); }

  // Fills `bytes` of the arena: pack(begin, to) gives any piece of them.
  template <typename Pack>
  void upload(std::uint8_t* to, std::size_t bytes, const Pack& pack) {
    count_gpu_call();
    constexpr std::size_t kPieceBytes = 64;  // small, so that chunks are cut everywhere
    for (std::size_t begin = 0; begin < bytes; begin += kPieceBytes) {
      pack(begin, std::span(to + begin, std::min(kPieceBytes, bytes - begin)));
    }
  }
  // The same from where it stands in a slab of chunks. False: not done, the machine cannot.
  bool send(std::uint8_t* to, std::span<const std::uint8_t> from, std::span<std::uint8_t>) {
    count_gpu_call();
    std::memcpy(to, from.data(), from.size());
    return true;
  }
  void clear(std::uint8_t* at, std::size_t bytes) { std::memset(at, 0, bytes); }
  // The value at `from`, once everything put on its way is done.
  template <typename T>
  T fetch(const T* from) {
    count_gpu_call();
    return *from;
  }

  template <typename Step>
  void for_each(std::size_t count, const Step& step) {
    count_gpu_call();
    tbb::parallel_for(std::size_t{0}, count, step);
  }
  // In place too, where the types are one.
  template <typename From, typename To, typename Sum>
  void exclusive_scan(const From* from, To* to, std::size_t count, Sum sum, std::span<std::uint8_t>) {
    To total{};
    for (std::size_t i = 0; i < count; ++i) {
      const To next = sum(total, static_cast<To>(from[i]));
      to[i] = total;
      total = next;
    }
  }
  template <typename From, typename To, typename Sum>
  void inclusive_scan(const From* from, To* to, std::size_t count, Sum sum, std::span<std::uint8_t>) {
    To total{};
    for (std::size_t i = 0; i < count; ++i) to[i] = total = sum(total, static_cast<To>(from[i]));
  }

  // *to = the sum of step(i) over all i; Value{} for none.
  template <typename Value, typename Step, typename Sum>
  void reduce(std::size_t count, const Step& step, Sum sum, Value* to, std::span<std::uint8_t>) {
    count_gpu_call();
    *to = tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, count), Value{},
        [&](const tbb::blocked_range<std::size_t>& range, Value total) {
          for (std::size_t i = range.begin(); i < range.end(); ++i) total = sum(total, step(i));
          return total;
        },
        sum);
  }

  void sort_strings(const std::uint8_t* text, const std::uint64_t* offsets, std::uint32_t count, std::size_t,
                    std::uint32_t* order, std::span<std::uint8_t> scratch) {
    const std::span<StringRef> refs(reinterpret_cast<StringRef*>(scratch.data()), count);
    for (std::uint32_t i = 0; i < count; ++i) {
      refs[i] = {text + offsets[i], static_cast<std::uint32_t>(offsets[i + 1] - offsets[i]), i};
    }
    strings_.sort(refs, {order, count}, {}, scratch.subspan(refs.size_bytes()));
  }
  bool sorts_stably() const { return records_->stable(); }
  // Returns where they stand.
  const std::uint64_t* sort_keys(std::uint64_t* keys, std::size_t count, BitRange bits,
                                 std::span<std::uint8_t> scratch) {
    records_->sort({keys, count}, bits, scratch);
    return keys;
  }

  void begin_download(const DownloadPieces& pieces, std::size_t bytes) {
    count_gpu_call();
    auto reservation = budget_.try_reserve(bytes);
    if (!reservation) throw GpuMemoryError("no " + std::to_string(bytes) + " bytes for the lists of a block");
    result_ = Buffer(std::move(*reservation), bytes);
    pieces_ = pieces;
  }
  // Where the result stands.
  const std::uint8_t* finish_download() {
    count_gpu_call();
    for (const DownloadPiece& piece : pieces_) {
      if (piece.bytes != 0) std::memcpy(result_.data() + piece.host_offset, piece.device, piece.bytes);
    }
    return result_.data();
  }
  // Between the marks, once the download is finished.
  PassSeconds seconds() const {
    PassSeconds seconds;
    for (std::size_t i = 0; i < kPassSteps; ++i) seconds[i] = marks_[i + 1] - marks_[i];
    return seconds;
  }
  void end() { result_ = {}; }
  void abandon() noexcept { result_ = {}; }

 private:
  const std::shared_ptr<HostArenaShare> memory_;
  MemoryBudget& budget_;
  Buffer result_;
  DownloadPieces pieces_{};
  const RecordSorter* records_;
  const StringSorter& strings_;
  Stopwatch watch_;
  std::array<double, kPassMarks> marks_{};
};

}  // namespace spillway
