// Brings the lists that a GPU holds into the order of their terms, on any executor: the same code for a GPU and for the
// host in tests. The strings of all inputs are sorted at once; of equal ones the sort keeps the order of the inputs.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "indexer/gpu/merge/steps/held.hpp"
#include "indexer/gpu/pipeline/device_lists.hpp"
#include "sort/gpu/device/arena.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Owns the order, which lies in the memory of the executor, and what the host knows of it.
class TermOrder {
 public:
  HeldOrder order() const { return order_; }
  // Returns whether the inputs of a merge are those whose lists are in order.
  bool is_of(std::span<const BatchInput> inputs) const {
    if (inputs.size() != posting_counts_.size()) return false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].posting_count != posting_counts_[i]) return false;
    }
    return true;
  }
  // Requires: it was made with `described`.
  const HeldLists& lists() const { return lists_; }

 private:
  template <typename Executor>
  friend class TermOrderMaker;

  std::vector<std::shared_ptr<std::uint8_t>> memory_;  // of the lists
  std::shared_ptr<std::uint8_t> own_memory_;
  std::vector<HeldInput> host_inputs_;
  std::vector<std::uint64_t> posting_counts_;  // of the inputs
  HeldInput* inputs_ = nullptr;
  HeldOrder order_;
  std::unique_ptr<std::uint8_t[]> host_memory_;
  HeldLists lists_;
};

// The Executor is one of steps (indexer/gpu/pipeline/cuda_steps.cuh), and has, besides:
//   std::size_t free_bytes()                          that allocate() may give
//   std::shared_ptr<std::uint8_t> allocate(bytes)     aligned to kDeviceAlignment; GpuMemoryError
//   bool is_near(lists)                               whether near() copies nothing
//   std::shared_ptr<std::uint8_t> near(lists)         the memory of the lists, or a copy that this executor reads fast
//   void copy(to, from, bytes)                        within the memory of executors
//   void upload(to, from, bytes)                      `from` may change afterwards
//   void download(to, from, bytes)                    waits
//   std::size_t string_scratch_bytes(strings, bytes), scan_bytes(count)
//   void sort_strings(strings, out, scratch)
template <typename Executor>
class TermOrderMaker {
 public:
  // The lists are those of all inputs of the merge, in order.
  TermOrderMaker(Executor& executor, std::span<const DeviceLists> lists) : executor_(executor), lists_(lists) {
    std::uint64_t strings = 0, entries = 0;
    for (const DeviceLists& input : lists) {
      strings += input.rank_count;
      entries += input.fragment_count;
      text_bytes_ += input.text_bytes;
    }
    if (strings >= kMost || entries >= kMost) throw GpuMemoryError("too many lists for one order");
    strings_ = static_cast<std::uint32_t>(strings);
    entries_ = static_cast<std::uint32_t>(entries);
  }

  // Makes the order. `described`: with what the host is to know, in at most `host_bytes` bytes. GpuMemoryError where
  // either memory is too small, GpuError where the lists contradict each other.
  std::unique_ptr<TermOrder> make(bool described, std::size_t host_bytes) {
    auto order = std::make_unique<TermOrder>();
    const std::size_t strings_bytes = counted([&](DeviceArena& arena) { take_strings(arena); });
    check_room(strings_bytes);
    take_lists(*order);
    const auto memory = executor_.allocate(strings_bytes);
    DeviceArena arena(memory.get(), strings_bytes);
    take_strings(arena);
    check_lists();
    sort_strings();
    place_entries(*order);
    if (described) describe_lists(*order, host_bytes);
    return order;
  }

  // Tells the order where the documents of the inputs lie in the source.
  static void set_inputs(Executor& executor, std::span<const BatchInput> inputs, TermOrder& order) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      order.host_inputs_[i].base = inputs[i].base;
      order.host_inputs_[i].cut_document = inputs[i].cut_document.value_or(HeldInput::kNotCut);
    }
    executor.upload(order.inputs_, order.host_inputs_.data(), inputs.size() * sizeof(HeldInput));
    order.order_.inputs = {order.inputs_, static_cast<std::uint32_t>(inputs.size())};
  }

 private:
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << 32) - 2;

  template <typename Take>
  static std::size_t counted(const Take& take) {
    DeviceArena counting = DeviceArena::for_counting();
    take(counting);
    return counting.used_bytes();
  }

  void take_entries(DeviceArena& arena) {
    own_inputs_ = arena.take<HeldInput>(lists_.size());
    entry_fragments_ = arena.take<std::uint32_t>(entries_);
    before_ = arena.take<HeldSize>(entries_ + std::size_t{1});
  }
  // Is called before anything is copied. What describe_lists() takes comes on top; it is small where terms repeat.
  void check_room(std::size_t strings_bytes) {
    std::size_t bytes = strings_bytes + counted([&](DeviceArena& arena) { take_entries(arena); });
    for (const DeviceLists& input : lists_) bytes += executor_.is_near(input) ? 0 : input.bytes;
    if (bytes > executor_.free_bytes()) throw GpuMemoryError("the order of lists does not fit the memory of the GPU");
  }

  // Takes the inputs, and memory for the order.
  void take_lists(TermOrder& order) {
    const std::size_t bytes = counted([&](DeviceArena& arena) { take_entries(arena); });
    order.own_memory_ = executor_.allocate(bytes);
    DeviceArena arena(order.own_memory_.get(), bytes);
    take_entries(arena);
    order.inputs_ = own_inputs_;
    std::uint32_t fragments = 0;
    for (const DeviceLists& input : lists_) {
      order.memory_.push_back(executor_.near(input));
      const std::uint8_t* const base = order.memory_.back().get();
      order.host_inputs_.push_back({input.fragments(base), input.postings(base), input.distances(base), fragments});
      order.posting_counts_.push_back(input.posting_count);
      fragments += input.fragment_count;
    }
    executor_.upload(order.inputs_, order.host_inputs_.data(), lists_.size() * sizeof(HeldInput));
    inputs_ = {order.inputs_, static_cast<std::uint32_t>(lists_.size())};
    bases_ = order.memory_;
  }

  void take_strings(DeviceArena& arena) {
    const std::size_t count = strings_;
    text_ = arena.take<std::uint8_t>(text_bytes_ + kTextPadding);
    offsets_ = arena.take<std::uint64_t>(count + 1);
    sorted_ = arena.take<std::uint32_t>(count);
    firsts_ = arena.take<std::uint8_t>(count);
    first_fragments_ = arena.take<std::uint32_t>(count + 1);
    places_ = arena.take<std::uint32_t>(count + 1);
    list_numbers_ = arena.take<std::uint32_t>(count);
    const std::size_t scratch = std::max(executor_.string_scratch_bytes(strings_, text_bytes_),
                                         executor_.scan_bytes(std::max(strings_, entries_) + std::size_t{1}));
    scratch_ = {arena.take<std::uint8_t>(scratch), scratch};
    wrong_ = arena.take<std::uint32_t>(1);
  }

  // The host checks copies only where it has some.
  void check_lists() {
    executor_.clear(reinterpret_cast<std::uint8_t*>(wrong_), sizeof *wrong_);
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      const DeviceLists& input = lists_[i];
      const std::uint8_t* const base = bases_[i].get();
      executor_.for_each(input.fragment_count,
                         CheckHeldFragments{input.fragments(base), input.fragment_count, input.rank_count,
                                            input.posting_bytes, input.distance_bytes, input.posting_count, wrong_});
      executor_.for_each(input.rank_count,
                         CheckHeldStrings{input.text_offsets(base), input.rank_count, input.text_bytes, wrong_});
    }
    const bool has_empty_lists = std::any_of(lists_.begin(), lists_.end(), [](const DeviceLists& input) {
      return (input.fragment_count == 0) != (input.rank_count == 0);
    });
    if (has_empty_lists || executor_.fetch(wrong_) != 0) {
      throw GpuError("the lists that a GPU holds contradict each other: its memory is at fault");
    }
  }

  void sort_strings() {
    std::uint64_t text = 0;
    std::uint32_t string = 0, fragment = 0;
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      const DeviceLists& input = lists_[i];
      const std::uint8_t* const base = bases_[i].get();
      executor_.copy(text_ + text, input.text(base), input.text_bytes);
      executor_.for_each(input.rank_count + std::size_t{1},
                         ShiftOffsets{input.text_offsets(base), text, offsets_ + string});
      executor_.for_each(input.fragment_count,
                         FindFirstFragments{input.fragments(base), fragment, first_fragments_ + string});
      text += input.text_bytes;
      string += input.rank_count;
      fragment += input.fragment_count;
    }
    executor_.upload(first_fragments_ + strings_, &entries_, sizeof entries_);
    executor_.sort_strings({text_, offsets_, strings_, text_bytes_}, {sorted_, firsts_}, scratch_);
  }

  void place_entries(TermOrder& order) {
    executor_.for_each(strings_ + std::size_t{1}, CountFragments{sorted_, strings_, first_fragments_, places_});
    executor_.exclusive_scan(places_, places_, strings_ + std::size_t{1}, Add<std::uint32_t>{}, scratch_);
    executor_.for_each(strings_, PlaceEntries{sorted_, first_fragments_, places_, entries_, entry_fragments_});
    executor_.for_each(entries_ + std::size_t{1}, MeasureEntries{inputs_, entry_fragments_, entries_, before_});
    executor_.exclusive_scan(before_, before_, entries_ + std::size_t{1}, AddHeldSizes{}, scratch_);
    order.order_ = {inputs_, entry_fragments_, before_};
  }

  void describe_lists(TermOrder& order, std::size_t host_bytes) {
    executor_.inclusive_scan(firsts_, list_numbers_, strings_, Add<std::uint32_t>{}, scratch_);
    const std::uint32_t count = strings_ == 0 ? 0 : executor_.fetch(list_numbers_ + strings_ - 1);
    std::uint32_t *first_strings = nullptr, *first_entries = nullptr;
    std::uint64_t* term_offsets = nullptr;
    HeldList* lists = nullptr;
    const auto take = [&](DeviceArena& arena) {
      first_strings = arena.take<std::uint32_t>(count);
      first_entries = arena.take<std::uint32_t>(count);
      term_offsets = arena.take<std::uint64_t>(count + std::size_t{1});
      lists = arena.take<HeldList>(count + std::size_t{1});
    };
    const std::size_t bytes = counted(take);
    const auto memory = executor_.allocate(bytes);
    DeviceArena arena(memory.get(), bytes);
    take(arena);
    executor_.for_each(strings_, FindLists{sorted_, firsts_, list_numbers_, places_, first_strings, first_entries});
    executor_.for_each(count + std::size_t{1}, MeasureRankText{offsets_, first_strings, count, term_offsets});
    executor_.exclusive_scan(term_offsets, term_offsets, count + std::size_t{1}, Add<std::uint64_t>{}, scratch_);
    executor_.for_each(count + std::size_t{1},
                       DescribeLists{before_, first_entries, term_offsets, count, entries_, lists});
    const std::uint64_t term_bytes = executor_.fetch(term_offsets + count);
    const auto terms = executor_.allocate(term_bytes);
    executor_.for_each(count, GatherRankText{text_, offsets_, first_strings, term_offsets, terms.get()});

    const std::size_t list_bytes = (count + std::size_t{1}) * sizeof(HeldList);
    if (list_bytes + term_bytes > host_bytes) {
      throw GpuMemoryError("--memory has no room for the order of lists that a GPU holds");
    }
    order.host_memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(list_bytes + term_bytes);
    std::uint8_t* const host = order.host_memory_.get();
    executor_.download(host, lists, list_bytes);
    executor_.download(host + list_bytes, terms.get(), term_bytes);
    order.lists_ = {{reinterpret_cast<const HeldList*>(host), count + std::size_t{1}},
                    {reinterpret_cast<const char*>(host) + list_bytes, term_bytes}};
  }

  Executor& executor_;
  const std::span<const DeviceLists> lists_;
  std::uint32_t strings_ = 0, entries_ = 0;
  std::uint64_t text_bytes_ = 0;
  HeldInputs inputs_;
  std::vector<std::shared_ptr<std::uint8_t>> bases_;
  HeldInput* own_inputs_ = nullptr;
  std::uint32_t* entry_fragments_ = nullptr;
  HeldSize* before_ = nullptr;

  std::uint8_t* text_ = nullptr;
  std::uint64_t* offsets_ = nullptr;
  std::uint32_t *sorted_ = nullptr, *first_fragments_ = nullptr, *places_ = nullptr, *list_numbers_ = nullptr;
  std::uint8_t* firsts_ = nullptr;
  std::span<std::uint8_t> scratch_;
  std::uint32_t* wrong_ = nullptr;
};

}  // namespace spillway
