#include "sort/external/string_sort.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "merge/merge_plan.hpp"
#include "sort/external/loser_tree.hpp"
#include "sort/external/string_run.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMinMemoryBytes = std::size_t{256} << 10;
constexpr std::size_t kMinBlockBytes = std::size_t{8} << 10, kMaxBlockBytes = std::size_t{256} << 10;
// Few, because the runs of an index may be open at the same time under a limit of 64 descriptors.
constexpr std::size_t kOpenRuns = 24;
// Strings that are marked as repeated in one batch, one bit each in the memory of a writer, and those of one task.
constexpr std::size_t kMarkBatch = (kMaxSortedStringBytes + 1) * 8, kMarkRange = 4096;

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

ExternalStringSort::ExternalStringSort(MemoryBudget& budget, TempSpace& temp, const StringSorter& sorter,
                                       std::size_t memory_bytes)
    : temp_(temp),
      sorter_(sorter),
      buffer_(budget, std::max(memory_bytes, kMinMemoryBytes), "sorting strings"),
      block_bytes_(std::clamp(buffer_.size() / 64 / 64 * 64, kMinBlockBytes, kMaxBlockBytes)) {}

// The memory of a writer begins here, however long the strings are.
std::uint8_t* ExternalStringSort::references_end() {
  return buffer_.data() + (buffer_.size() - block_bytes_ - kMaxSortedStringBytes - 1) / 64 * 64;
}

bool ExternalStringSort::fits(std::size_t bytes) const {
  const std::size_t writer = block_bytes_ + kMaxSortedStringBytes + 1 + 64;
  const std::size_t needed = text_bytes_ + bytes + 64 + (count_ + 1) * (sizeof(StringRef) + sizeof(std::uint32_t)) +
                             64 + sorter_.scratch_bytes(count_ + 1) + writer;
  return needed <= buffer_.size();
}

void ExternalStringSort::add(std::string_view text, std::uint32_t number) {
  if (text.size() > kMaxSortedStringBytes) {
    throw UsageError("a string of " + std::to_string(text.size()) + " bytes cannot be sorted: at most " +
                     std::to_string(kMaxSortedStringBytes) + " are possible");
  }
  if (is_sorted_ || is_placed_) throw std::logic_error("a string was added after sort() or place()");
  if (!fits(text.size())) {
    if (count_ == 0) {
      throw BudgetError("sorting a string of " + std::to_string(text.size()) + " bytes does not fit the " +
                        std::to_string(buffer_.size()) + " bytes that the sort has: raise --memory");
    }
    spill();
  }
  std::uint8_t* const to = buffer_.data() + text_bytes_;
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  text_bytes_ += text.size();
  longest_bytes_ = std::max(longest_bytes_, text.size());
  ++count_;
  *references() = {to, static_cast<std::uint32_t>(text.size()), number};
}

void ExternalStringSort::sort_in_memory() {
  if (is_placed_) {
    const auto end =
        std::remove_if(strings_.begin(), strings_.end(), [](const StringRef& s) { return s.data == nullptr; });
    strings_ = {strings_.begin(), end};
    count_ = strings_.size();
  } else {
    // The references grew downwards; equal strings must stand in the order in which they were added.
    strings_ = {references(), count_};
    std::ranges::reverse(strings_);
  }
  std::uint8_t* const free = buffer_.data() + (text_bytes_ + 63) / 64 * 64;
  const std::span<std::uint32_t> result(reinterpret_cast<std::uint32_t*>(free), count_);
  std::uint8_t* const scratch = free + (count_ * sizeof(std::uint32_t) + 63) / 64 * 64;
  sorter_.sort(strings_, result, {}, {scratch, reinterpret_cast<std::uint8_t*>(strings_.data())});
  order_ = result;
}

// `memory`: for a block and the longest string.
ExternalStringSort::Run ExternalStringSort::write_run(std::uint8_t* memory,
                                                      const std::function<void(StringRunWriter&)>& fill) {
  Run run;
  run.file = temp_.create("strings");
  StringRunWriter writer(run.file->writer(), {memory, block_bytes_}, {memory + block_bytes_, longest_bytes_});
  fill(writer);
  writer.finish();
  run.count = writer.count();
  run.bytes = run.file->writer().size();
  spilled_bytes_ += run.bytes;
  run.file->finish();
  run.file->close_reader();
  return run;
}

void ExternalStringSort::spill() {
  sort_in_memory();
  runs_.push_back(write_run(references_end(), [this](StringRunWriter& writer) {
    for (std::size_t i = 0; i < order_.size(); ++i) writer.add(at(i).view(), at(i).payload);
  }));
  strings_ = {};
  order_ = {};
  count_ = text_bytes_ = 0;
}

void ExternalStringSort::merge_runs() {
  MergePlanInput input;
  for (const Run& run : runs_) input.run_bytes.push_back(run.bytes);
  input.cursor_bytes = input.output_bytes = source_bytes();
  input.memory_bytes = buffer_.size();
  input.open_files = kOpenRuns + 1;
  const MergePlan plan = plan_merge(input);
  for (const std::vector<std::uint32_t>& groups : plan.passes) {
    std::vector<Run> merged;
    auto next = runs_.begin();
    for (const std::uint32_t size : groups) {
      merged.push_back(size == 1 ? std::move(*next) : merge_group({&*next, size}));
      next += size;
    }
    runs_ = std::move(merged);
  }
}

ExternalStringSort::Run ExternalStringSort::merge_group(std::span<Run> group) {
  Run merged = write_run(buffer_.data() + group.size() * source_bytes(), [&](StringRunWriter& writer) {
    stream(group, [&](std::string_view text, std::uint32_t number) { writer.add(text, number); });
  });
  for (Run& run : group) run.file.reset();
  return merged;
}

void ExternalStringSort::stream(std::span<Run> group, const Take& take) {
  std::vector<Source> sources;
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::uint8_t* const memory = buffer_.data() + i * source_bytes();
    sources.push_back({StringRunReader(group[i].file->reader(), group[i].count, {memory, block_bytes_},
                                       {memory + block_bytes_, longest_bytes_})});
    sources.back().next();
  }
  LoserTree tree(sources.size(), SourceLess{&sources});
  for (Source* source = &sources[tree.winner()]; !source->done; source = &sources[tree.winner()]) {
    take(source->reader.text(), source->reader.number());
    source->next();
    tree.replay();
  }
  for (Run& run : group) run.file->close_reader();
}

void ExternalStringSort::stream_repeated(const Take& take, const CheckCancelled& check_cancelled) {
  std::string last;
  std::uint32_t last_number = 0;
  std::uint64_t seen = 0;
  bool any = false, last_is_taken = false;
  stream(runs_, [&](std::string_view text, std::uint32_t number) {
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

// Consecutive strings of the order lie far apart in memory. The reference is prefetched first, then the bytes it names.
inline void ExternalStringSort::prefetch(std::size_t i) const {
  constexpr std::size_t kStep = 12;
  if (i + 2 * kStep < order_.size()) __builtin_prefetch(&at(i + 2 * kStep));
  if (i + kStep < order_.size()) __builtin_prefetch(at(i + kStep).data);
}

// Marks the strings of [begin, end), at most a batch, that equal the string before them. The marks stand in the memory
// of a writer, which is free now.
std::span<const std::uint64_t> ExternalStringSort::mark_repeated(std::size_t begin, std::size_t end) {
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

void ExternalStringSort::take_repeated(const Take& take, const CheckCancelled& check_cancelled) {
  std::size_t taken = 0;  // strings before this place of the order are done
  for (std::size_t begin = 0; begin < order_.size(); begin += kMarkBatch) {
    if (check_cancelled) check_cancelled();
    const std::span<const std::uint64_t> marks = mark_repeated(begin, std::min(order_.size(), begin + kMarkBatch));
    for (std::size_t word = 0; word < marks.size(); ++word) {
      for (std::uint64_t left = marks[word]; left != 0; left &= left - 1) {
        const std::size_t i = begin + word * 64 + static_cast<unsigned>(std::countr_zero(left));
        for (std::size_t j = std::max(taken, i - 1); j <= i; ++j) take(at(j).view(), at(j).payload);
        taken = i + 1;
      }
    }
  }
}

std::span<StringRef> ExternalStringSort::place(std::size_t count) {
  if (is_sorted_ || count_ != 0) throw std::logic_error("strings were placed after others");
  count_ = count;
  is_placed_ = count != 0 && fits(0);
  if (!is_placed_) count_ = 0;
  strings_ = {references(), count_};
  return strings_;
}

std::span<std::uint8_t> ExternalStringSort::spare() {
  if (!is_placed_ || is_sorted_)
    throw std::logic_error("a sort has spare memory only before it, and with placed strings");
  return {buffer_.data(), reinterpret_cast<std::uint8_t*>(strings_.data())};
}

void ExternalStringSort::sort() {
  is_sorted_ = true;
  if (runs_.empty()) return sort_in_memory();
  if (count_ != 0) spill();
  merge_runs();
}

void ExternalStringSort::read(const Take& take) {
  if (!is_sorted_) throw std::logic_error("strings were read before sort()");
  if (!runs_.empty()) return stream(runs_, take);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    prefetch(i);
    take(at(i).view(), at(i).payload);
  }
}

void ExternalStringSort::read_repeated(const Take& take, const CheckCancelled& check_cancelled) {
  if (!is_sorted_) throw std::logic_error("strings were read before sort()");
  if (!runs_.empty()) return stream_repeated(take, check_cancelled);
  take_repeated(take, check_cancelled);
}

}  // namespace spillway
