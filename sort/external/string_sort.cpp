#include "sort/external/string_sort.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/base/error.hpp"
#include "merge/cursor/byte_prefix.hpp"
#include "merge/merge_plan.hpp"
#include "sort/external/loser_tree.hpp"
#include "sort/external/string_run.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMinMemoryBytes = std::size_t{256} << 10;
constexpr std::size_t kMinBlockBytes = std::size_t{8} << 10, kMaxBlockBytes = std::size_t{256} << 10;
// Descriptors, at most: few, because the runs of an index may be open beside them under a limit of 64.
constexpr std::size_t kOpenRuns = 24;
// Strings in which repeated ones are marked at a time, a bit each in the memory that a writer would have, and those
// that a task looks at.
constexpr std::size_t kMarkBatch = (kMaxSortedStringBytes + 1) * 8, kMarkRange = 4096;

using Take = std::function<void(std::string_view, std::uint32_t)>;
using CheckCancelled = std::function<void()>;

struct StoredStrings {
  std::unique_ptr<TempFile> file;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

// A run being merged.
struct Source {
  StringRunReader reader;
  std::uint64_t prefix = 0;
  bool done = false;
  void next() {
    done = !reader.next();
    if (!done) prefix = byte_prefix(reader.text());
  }
};

struct SourceLess {
  const std::vector<Source>* sources;
  bool operator()(std::size_t a, std::size_t b) const {
    const Source &left = (*sources)[a], &right = (*sources)[b];
    if (left.done || right.done) return left.done == right.done ? a < b : right.done;
    if (left.prefix != right.prefix) return left.prefix < right.prefix;
    const int order = left.reader.text().compare(right.reader.text());
    return order != 0 ? order < 0 : a < b;  // runs are in number order
  }
};

}  // namespace

// One buffer for everything. While strings come in:
//   [ texts, growing up | free: order and scratch of the sort | references, growing down | block and text of a writer ]
// While runs are merged, it is blocks and texts of the sources and of a writer.
struct ExternalStringSort::State {
  TempSpace& temp;
  const StringSorter& sorter;
  Buffer buffer;
  std::size_t block_bytes;
  std::size_t longest_bytes = 0;  // of all strings, ever
  std::size_t text_bytes = 0, count = 0;
  std::vector<StoredStrings> runs;
  std::span<StringRef> strings;          // in memory, once placed or sorted
  std::span<const std::uint32_t> order;  // of these, once sorted
  std::uint64_t spilled_bytes = 0;
  bool is_placed = false, is_sorted = false;

  State(MemoryBudget& budget, TempSpace& temp_space, const StringSorter& string_sorter, std::size_t memory_bytes)
      : temp(temp_space),
        sorter(string_sorter),
        buffer(budget, std::max(memory_bytes, kMinMemoryBytes), "sorting strings"),
        block_bytes(std::clamp(buffer.size() / 64 / 64 * 64, kMinBlockBytes, kMaxBlockBytes)) {}

  std::size_t source_bytes() const { return (block_bytes + longest_bytes + 63) / 64 * 64; }
  // The references end where a writer's memory begins, whatever string comes.
  std::uint8_t* references_end() {
    return buffer.data() + (buffer.size() - block_bytes - kMaxSortedStringBytes - 1) / 64 * 64;
  }
  StringRef* references() { return reinterpret_cast<StringRef*>(references_end()) - count; }

  bool fits(std::size_t bytes) const;
  void add(std::string_view text, std::uint32_t number);
  void sort_in_memory();
  void spill();
  StringRunWriter writer_at(WritableFile& file, std::uint8_t* memory);
  void merge_runs();
  StoredStrings merge_group(std::span<StoredStrings> group);
  void stream(std::span<StoredStrings> group, const Take& take);
  void stream_repeated(const Take& take, const CheckCancelled& check_cancelled);

  // In memory, once sorted.
  const StringRef& at(std::size_t i) const { return strings[order[i]]; }
  void prefetch(std::size_t i) const;
  std::span<const std::uint64_t> mark_repeated(std::size_t begin, std::size_t end);
  void take_repeated(const Take& take, const CheckCancelled& check_cancelled);
};

bool ExternalStringSort::State::fits(std::size_t bytes) const {
  const std::size_t writer = block_bytes + kMaxSortedStringBytes + 1 + 64;
  const std::size_t needed = text_bytes + bytes + 64 + (count + 1) * (sizeof(StringRef) + sizeof(std::uint32_t)) + 64 +
                             sorter.scratch_bytes(count + 1) + writer;
  return needed <= buffer.size();
}

void ExternalStringSort::State::add(std::string_view text, std::uint32_t number) {
  if (!fits(text.size())) {
    if (count == 0) {
      throw BudgetError("sorting a string of " + std::to_string(text.size()) + " bytes does not fit the " +
                        std::to_string(buffer.size()) + " bytes that the sort has: raise --memory");
    }
    spill();
  }
  std::uint8_t* const to = buffer.data() + text_bytes;
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  text_bytes += text.size();
  longest_bytes = std::max(longest_bytes, text.size());
  ++count;
  *references() = {to, static_cast<std::uint32_t>(text.size()), number};
}

void ExternalStringSort::State::sort_in_memory() {
  if (is_placed) {
    const auto absent = std::ranges::remove(strings, nullptr, &StringRef::data);
    strings = strings.first(strings.size() - absent.size());
    count = strings.size();
  } else {
    // They were set down from the end on; equal strings must stand in the order in which they came.
    strings = {references(), count};
    std::ranges::reverse(strings);
  }
  std::uint8_t* const free = buffer.data() + (text_bytes + 63) / 64 * 64;
  const std::span<std::uint32_t> result(reinterpret_cast<std::uint32_t*>(free), count);
  std::uint8_t* const scratch = free + (count * sizeof(std::uint32_t) + 63) / 64 * 64;
  sorter.sort(strings, result, {}, {scratch, reinterpret_cast<std::uint8_t*>(strings.data())});
  order = result;
}

StringRunWriter ExternalStringSort::State::writer_at(WritableFile& file, std::uint8_t* memory) {
  return {file, {memory, block_bytes}, {memory + block_bytes, longest_bytes}};
}

void ExternalStringSort::State::spill() {
  sort_in_memory();
  StoredStrings run;
  run.file = temp.create("strings");
  StringRunWriter writer = writer_at(run.file->writer(), references_end());
  for (const std::uint32_t index : order) writer.add(strings[index].view(), strings[index].payload);
  writer.finish();
  run.count = writer.count();
  run.bytes = run.file->writer().size();
  spilled_bytes += run.bytes;
  run.file->finish();
  run.file->close_reader();
  runs.push_back(std::move(run));
  strings = {};
  order = {};
  count = text_bytes = 0;
}

void ExternalStringSort::State::merge_runs() {
  MergePlanInput input;
  for (const StoredStrings& run : runs) input.run_bytes.push_back(run.bytes);
  input.cursor_bytes = input.output_bytes = source_bytes();
  input.memory_bytes = buffer.size();
  input.open_files = kOpenRuns + 1;
  const MergePlan plan = plan_merge(input);
  for (const std::vector<std::uint32_t>& groups : plan.passes) {
    std::vector<StoredStrings> merged;
    auto next = runs.begin();
    for (const std::uint32_t size : groups) {
      merged.push_back(size == 1 ? std::move(*next) : merge_group({&*next, size}));
      next += size;
    }
    runs = std::move(merged);
  }
}

StoredStrings ExternalStringSort::State::merge_group(std::span<StoredStrings> group) {
  StoredStrings merged;
  merged.file = temp.create("strings");
  StringRunWriter writer = writer_at(merged.file->writer(), buffer.data() + group.size() * source_bytes());
  stream(group, [&](std::string_view text, std::uint32_t number) { writer.add(text, number); });
  writer.finish();
  merged.count = writer.count();
  merged.bytes = merged.file->writer().size();
  spilled_bytes += merged.bytes;
  merged.file->finish();
  merged.file->close_reader();
  for (StoredStrings& run : group) run.file.reset();
  return merged;
}

void ExternalStringSort::State::stream(std::span<StoredStrings> group, const Take& take) {
  std::vector<Source> sources;
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::uint8_t* const memory = buffer.data() + i * source_bytes();
    sources.push_back({StringRunReader(group[i].file->reader(), group[i].count, {memory, block_bytes},
                                       {memory + block_bytes, longest_bytes})});
    sources.back().next();
  }
  LoserTree tree(sources.size(), SourceLess{&sources});
  for (Source* source = &sources[tree.winner()]; !source->done; source = &sources[tree.winner()]) {
    take(source->reader.text(), source->reader.number());
    source->next();
    tree.replay();
  }
  for (StoredStrings& run : group) run.file->close_reader();
}

void ExternalStringSort::State::stream_repeated(const Take& take, const CheckCancelled& check_cancelled) {
  std::string last;
  std::uint32_t last_number = 0;
  std::uint64_t seen = 0;
  bool any = false, last_is_taken = false;
  stream(runs, [&](std::string_view text, std::uint32_t number) {
    if (seen++ % kMarkRange == 0 && check_cancelled) check_cancelled();
    const bool repeats = any && text == last;
    if (repeats && !last_is_taken) take(last, last_number);
    if (repeats) take(text, number);
    if (!repeats) last = text;
    last_number = number;
    last_is_taken = repeats;
    any = true;
  });
}

// Strings in order stand anywhere: what they need is asked for in two steps, each of which needs the one before.
void ExternalStringSort::State::prefetch(std::size_t i) const {
  constexpr std::size_t kStep = 12;
  if (i + 2 * kStep < order.size()) __builtin_prefetch(&at(i + 2 * kStep));
  if (i + kStep < order.size()) __builtin_prefetch(at(i + kStep).data);
}

// Of the strings from `begin` on, no more than a batch, those that are equal to the one before. Nothing is written now,
// so that a writer's memory is free.
std::span<const std::uint64_t> ExternalStringSort::State::mark_repeated(std::size_t begin, std::size_t end) {
  static_assert(kMarkBatch % kMarkRange == 0 && kMarkRange % 64 == 0);
  const std::span<std::uint64_t> marks(reinterpret_cast<std::uint64_t*>(references_end()), (end - begin + 63) / 64);
  tbb::parallel_for(std::size_t{0}, (end - begin + kMarkRange - 1) / kMarkRange, [&](std::size_t range) {
    const std::size_t from = begin + range * kMarkRange, to = std::min(end, from + kMarkRange);
    std::ranges::fill(marks.subspan((from - begin) / 64, (to - from + 63) / 64), 0);
    for (std::size_t i = std::max<std::size_t>(from, 1); i < to; ++i) {
      prefetch(i);
      if (at(i).view() == at(i - 1).view()) marks[(i - begin) / 64] |= std::uint64_t{1} << (i - begin) % 64;
    }
  });
  return marks;
}

void ExternalStringSort::State::take_repeated(const Take& take, const CheckCancelled& check_cancelled) {
  std::size_t taken = 0;  // strings in order, to the end of the last that was taken
  for (std::size_t begin = 0; begin < order.size(); begin += kMarkBatch) {
    if (check_cancelled) check_cancelled();
    const std::span<const std::uint64_t> marks = mark_repeated(begin, std::min(order.size(), begin + kMarkBatch));
    for (std::size_t word = 0; word < marks.size(); ++word) {
      for (std::uint64_t left = marks[word]; left != 0; left &= left - 1) {
        const std::size_t i = begin + word * 64 + static_cast<unsigned>(std::countr_zero(left));
        for (std::size_t j = std::max(taken, i - 1); j <= i; ++j) take(at(j).view(), at(j).payload);
        taken = i + 1;
      }
    }
  }
}

ExternalStringSort::ExternalStringSort(MemoryBudget& budget, TempSpace& temp, const StringSorter& sorter,
                                       std::size_t memory_bytes)
    : state_(std::make_unique<State>(budget, temp, sorter, memory_bytes)) {}

ExternalStringSort::~ExternalStringSort() = default;

void ExternalStringSort::add(std::string_view text, std::uint32_t number) {
  if (text.size() > kMaxSortedStringBytes) {
    throw UsageError("a string of " + std::to_string(text.size()) + " bytes cannot be sorted: at most " +
                     std::to_string(kMaxSortedStringBytes) + " are possible");
  }
  if (state_->is_sorted || state_->is_placed) throw std::logic_error("a string was added after sort() or place()");
  state_->add(text, number);
}

std::span<StringRef> ExternalStringSort::place(std::size_t count) {
  State& state = *state_;
  if (state.is_sorted || state.count != 0) throw std::logic_error("strings were placed behind others");
  state.count = count;
  state.is_placed = count != 0 && state.fits(0);
  if (!state.is_placed) state.count = 0;
  state.strings = {state.references(), state.count};
  return state.strings;
}

void ExternalStringSort::sort() {
  state_->is_sorted = true;
  if (state_->runs.empty()) {
    state_->sort_in_memory();
    return;
  }
  if (state_->count != 0) state_->spill();
  state_->merge_runs();
}

void ExternalStringSort::read(const std::function<void(std::string_view text, std::uint32_t number)>& take) const {
  if (!state_->is_sorted) throw std::logic_error("strings were read before sort()");
  if (!state_->runs.empty()) {
    state_->stream(state_->runs, take);
    return;
  }
  for (std::size_t i = 0; i < state_->order.size(); ++i) {
    state_->prefetch(i);
    const StringRef& text = state_->at(i);
    take(text.view(), text.payload);
  }
}

void ExternalStringSort::read_repeated(const std::function<void(std::string_view text, std::uint32_t number)>& take,
                                       const std::function<void()>& check_cancelled) const {
  if (!state_->is_sorted) throw std::logic_error("strings were read before sort()");
  if (!state_->runs.empty()) return state_->stream_repeated(take, check_cancelled);
  state_->take_repeated(take, check_cancelled);
}

std::uint64_t ExternalStringSort::spilled_bytes() const { return state_->spilled_bytes; }

}  // namespace spillway
