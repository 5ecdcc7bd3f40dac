// A lane of a merge on any executor: the steps that merge a batch, in their order, the same code for a GPU and for the
// host in tests.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "indexer/gpu/merge/batch_memory.hpp"
#include "io/checksum/content_checksum.hpp"
#include "merge/index/batch_lane.hpp"

namespace spillway {

// Batches of a merge read these besides their lists. The executor has them in its memory.
struct BatchTables {
  PowerTables powers;
  KeptNumbers numbers;
  const std::uint8_t* length_codes;
  std::uint64_t document_count;  // of the source
  bool has_positions;
  HeldOrder held = {};  // no entries: the lanes hold no lists
};

// The Executor is one of steps (indexer/gpu/pipeline/cuda_steps.cuh), and has, besides:
//   BatchArrays arrays()                  pinned memory that batches are collected in
//   const BatchTables& tables()
//   std::uint8_t* begin(bytes)            takes an arena of `bytes` bytes or more for a pass
//   void end()                            gives it back
//   void abandon() noexcept               the same after an error: waits until nothing is going on
//   void upload(to, from, bytes)          from arrays()
//   void download(to, from, bytes)        to any memory; waits
//   static std::size_t scratch_bytes(size)
template <typename Executor>
class ExecutorBatchLane final : public BatchLane {
 public:
  template <typename... Arguments>
  explicit ExecutorBatchLane(Arguments&&... arguments) : executor_(std::forward<Arguments>(arguments)...) {}

  BatchArrays arrays() override { return executor_.arrays(); }

  bool merge(const BatchSize& size, MergedBatch& merged) override {
    return merge(size, merged, [this] { upload(); });
  }

  bool merge_held(const HeldLists& held, std::size_t begin, std::size_t end, MergedBatch& merged) override {
    return merge(held.size(begin, end), merged, [&] { gather_held(held, begin); });
  }

 private:
  template <typename Fill>
  bool merge(const BatchSize& size, MergedBatch& merged, const Fill& fill) {
    const std::size_t scratch_bytes = Executor::scratch_bytes(size);
    const std::size_t bytes = batch_memory_bytes(size, scratch_bytes);
    try {
      DeviceArena arena(executor_.begin(bytes), bytes);
      at_ = take_batch_memory(arena, size, scratch_bytes);
      scratch_ = {at_.scratch, scratch_bytes};
      size_ = size;
      fill();
      const bool is_right = run(merged);
      executor_.end();
      return is_right;
    } catch (...) {
      executor_.abandon();
      throw;
    }
  }

  BatchView batch() const {
    return {size_, at_.posting_bytes, at_.distance_bytes, at_.starts, at_.fragments, at_.lists, at_.wrong};
  }
  bool has_positions() const { return executor_.tables().has_positions; }
  // Whether documents may be dropped.
  bool drops() const { return executor_.tables().numbers.bits != nullptr; }

  bool run(MergedBatch& merged) {
    executor_.clear(at_.posting_bytes + size_.posting_bytes, kBatchPadding);
    executor_.clear(at_.distance_bytes + size_.distance_bytes, kBatchPadding);
    executor_.clear(reinterpret_cast<std::uint8_t*>(at_.wrong), sizeof(*at_.wrong));
    decode();
    keep();
    if (executor_.fetch(at_.wrong) != 0) return false;
    const KeptBatch kept = gather();
    encode(kept);
    const BatchEnds ends = executor_.fetch(at_.ends);
    if (ends.wrong != 0) return false;
    download(ends, merged);
    return true;
  }

  void upload() {
    const BatchArrays from = executor_.arrays();
    executor_.upload(at_.posting_bytes, from.postings.data(), size_.posting_bytes);
    executor_.upload(at_.distance_bytes, from.distances.data(), size_.distance_bytes);
    executor_.upload(at_.starts, from.starts.data(), batch_groups(size_.posting_bytes) * sizeof(std::uint64_t));
    executor_.upload(at_.fragments, from.fragments.data(), (size_.fragments + std::size_t{1}) * sizeof(BatchFragment));
    upload_lists();
  }
  void upload_lists() {
    executor_.upload(at_.lists, executor_.arrays().lists.data(), (size_.lists + std::size_t{1}) * sizeof(BatchList));
  }

  // Brings lists from `first` on to where upload() puts those that were collected.
  void gather_held(const HeldLists& held, std::size_t first) {
    const std::span<BatchList> lists = executor_.arrays().lists;
    const HeldList& begin = held.lists[first];
    for (std::size_t l = 0; l <= size_.lists; ++l) {
      const TermHash hash = l == size_.lists ? TermHash{} : hash_term(held.term(first + l));
      lists[l] = {{hash[0], hash[1]}, held.lists[first + l].first_entry - begin.first_entry, 0};
    }
    upload_lists();
    const HeldOrder& order = executor_.tables().held;
    executor_.for_each(size_.fragments + std::size_t{1},
                       PlaceFragments{order, begin.first_entry, begin.before, size_, at_.lists, has_positions(),
                                      at_.fragments, at_.held_bytes});
    executor_.clear(reinterpret_cast<std::uint8_t*>(at_.starts),
                    batch_groups(size_.posting_bytes) * sizeof(std::uint64_t));
    executor_.for_each(size_.fragments, MarkStarts{at_.fragments, size_.posting_bytes, at_.starts});
    executor_.for_each(
        held_groups(size_.posting_bytes),
        GatherHeldPostings{at_.fragments, at_.held_bytes, size_.fragments, size_.posting_bytes, at_.posting_bytes});
    executor_.for_each(
        held_groups(size_.distance_bytes),
        GatherHeldDistances{at_.fragments, at_.held_bytes, size_.fragments, size_.distance_bytes, at_.distance_bytes});
  }

  void decode() {
    const std::size_t groups = batch_groups(size_.posting_bytes);
    executor_.for_each(groups + 1, CountWords{batch(), at_.words});
    executor_.exclusive_scan(at_.words, at_.words, groups + 1, AddWordCounts{}, scratch_);
    executor_.for_each_in_lanes(groups, DecodePostings{batch(), at_.words, at_.raw});
    executor_.clear(reinterpret_cast<std::uint8_t*>(at_.raw.frequencies + size_.postings), sizeof(std::uint32_t));
    executor_.inclusive_scan(at_.raw.documents, at_.raw.documents, size_.postings, Add<std::uint32_t>{}, scratch_);
    executor_.exclusive_scan(at_.raw.frequencies, at_.raw.occurrences, size_.postings + std::size_t{1},
                             Add<std::uint32_t>{}, scratch_);
    if (has_positions()) {
      const std::size_t distance_groups = batch_groups(size_.distance_bytes);
      executor_.for_each(distance_groups + 1, CountDistances{batch(), at_.distance_counts});
      executor_.exclusive_scan(at_.distance_counts, at_.distance_counts, distance_groups + 1, Add<std::uint32_t>{},
                               scratch_);
      executor_.for_each_in_lanes(distance_groups, DecodeDistances{batch(), at_.distance_counts, at_.distances});
    }
    executor_.for_each(1, CheckCounts{batch(), at_.words + groups, distance_total()});
    executor_.for_each(size_.fragments,
                       CheckFragment{batch(), at_.raw, has_positions() ? at_.distance_counts : nullptr});
  }
  const std::uint32_t* distance_total() const {
    return has_positions() ? at_.distance_counts + batch_groups(size_.distance_bytes) : nullptr;
  }

  void keep() {
    const BatchTables& tables = executor_.tables();
    executor_.for_each(size_.postings + std::size_t{1},
                       KeepPostings{batch(), at_.raw, tables.numbers, tables.document_count, at_.keeps});
    executor_.exclusive_scan(at_.keeps, at_.places, size_.postings + std::size_t{1}, Add<std::uint32_t>{}, scratch_);
  }

  KeptBatch gather() {
    const BatchTables& tables = executor_.tables();
    const std::uint32_t* kept_occurrences = at_.raw.occurrences;
    if (drops()) {
      executor_.for_each(size_.postings + std::size_t{1},
                         CountKeptOccurrences{batch(), at_.raw, tables.numbers, at_.kept_occurrences});
      executor_.exclusive_scan(at_.kept_occurrences, at_.kept_occurrences, size_.postings + std::size_t{1},
                               Add<std::uint32_t>{}, scratch_);
      kept_occurrences = at_.kept_occurrences;
    }
    executor_.for_each(size_.postings,
                       GatherKept{batch(), at_.raw, tables.numbers, at_.keeps, at_.places, kept_occurrences, at_.kept});
    const std::uint32_t* distances = nullptr;
    if (has_positions()) {
      executor_.for_each(size_.postings,
                         SumPositions{batch(), at_.raw, at_.distances, at_.last_positions, at_.position_values});
      executor_.for_each(size_.postings, JoinPositions{batch(), at_.raw, at_.last_positions, at_.distances});
      distances = at_.distances;
      if (drops()) {
        executor_.for_each(size_.postings,
                           GatherDistances{at_.raw, kept_occurrences, at_.distances, at_.kept_distances});
        distances = at_.kept_distances;
      }
    }
    executor_.reduce(
        summed_groups(size_.postings),
        SumPostings{batch(), at_.raw, tables.numbers, tables.powers, has_positions() ? at_.position_values : nullptr},
        AddBatchTotals{}, at_.totals, scratch_);
    return {batch(), at_.kept, at_.places, kept_occurrences, distances, at_.units};
  }

  void encode(const KeptBatch& kept) {
    const std::size_t lists = size_.lists, units = most_units(size_.postings, lists);
    executor_.for_each(lists + 1, CountUnits{kept, at_.units});
    executor_.exclusive_scan(at_.units, at_.units, lists + 1, AddListUnits{}, scratch_);
    executor_.for_each_in_lanes(
        units + 1, MeasureUnits{kept, executor_.tables().length_codes, at_.shapes, at_.unit_places, at_.bounds});
    executor_.exclusive_scan(at_.unit_places, at_.unit_places, units + 1, Add<std::uint32_t>{}, scratch_);
    executor_.for_each_in_lanes(units, WriteUnits{kept, at_.shapes, at_.unit_places, at_.postings});
    if (has_positions()) encode_positions(kept, units);
    const std::uint32_t* const position_places = has_positions() ? at_.position_unit_places : nullptr;
    executor_.for_each(lists, CollectLists{kept, at_.unit_places, position_places, at_.merged});
    executor_.for_each(1, CollectEnds{kept, at_.unit_places, position_places, at_.totals, at_.ends});
  }

  void encode_positions(const KeptBatch& kept, std::size_t units) {
    const std::size_t position_units = most_units(size_.occurrences, size_.lists);
    const PositionPlaces places{at_.position_unit_places, at_.positions};
    executor_.for_each(position_units + 1, MeasurePositionUnits{kept, at_.widths, at_.position_unit_places});
    executor_.exclusive_scan(at_.position_unit_places, at_.position_unit_places, position_units + 1,
                             Add<std::uint32_t>{}, scratch_);
    executor_.for_each(position_units * kPositionParts, WritePositionUnits{kept, at_.widths, places});
    executor_.for_each(units, WritePlaces{kept, places});
  }

  void download(const BatchEnds& ends, MergedBatch& merged) {
    merged.totals = ends.totals;
    download(merged.lists, at_.merged, size_.lists);
    download(merged.bytes.postings, at_.postings, ends.posting_bytes);
    download(merged.bytes.bounds, at_.bounds, ends.bound_bytes);
    download(merged.bytes.positions, at_.positions, ends.position_bytes);
  }
  template <typename Vector>
  void download(Vector& to, const typename Vector::value_type* from, std::size_t count) {
    to.reserve(count);  // exactly: a vector that grows may take twice as much
    to.resize(count);
    if (count != 0) executor_.download(reinterpret_cast<std::uint8_t*>(to.data()), from, count * sizeof(*from));
  }

  Executor executor_;
  BatchSize size_;
  BatchMemory at_{};
  std::span<std::uint8_t> scratch_;
};

}  // namespace spillway
