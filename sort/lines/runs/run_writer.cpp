#include "sort/lines/runs/run_writer.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "io/base/bytes.hpp"
#include "io/memory/in_flight.hpp"
#include "sort/lines/block/changed_text.hpp"
#include "sort/lines/block/padded_copy.hpp"
#include "sort/lines/keys/long_lines.hpp"

namespace spillway {

namespace {

constexpr std::size_t kAhead = 48;  // lines whose texts are loaded early

constexpr std::size_t kSliceBytes = std::size_t{512} << 10;  // of lines that are encoded before they are written

// Lines [begin, end) of a part, which are not encoded yet, and the blocks of the run that those before became.
struct Slice {
  std::size_t part, begin, end;
  bool is_whole;  // all of a part, which is not sorted yet
  std::vector<EncodedBlock> encoded = {};
};
using SlicePointer = Slice*;

// Cuts a block into slices of about kSliceBytes at most: what is encoded waits for its turn in memory. Small parts are
// sorted by those that encode them, larger ones side by side before they are cut: in blocks of gigabytes all are
// larger.
class Slicer {
 public:
  // Sorts up to `parts_at_once` parts side by side.
  Slicer(LineBlock& block, std::size_t parts_at_once) : block_(block), parts_at_once_(parts_at_once) {}
  // Returns an empty slice at the end.
  Slice next() {
    while (part_ != block_.parts()) {
      if (is_sliced_ && line_ != block_.size(part_)) return next_of_part();
      if (std::exchange(is_sliced_, false)) {
        ++part_;
      } else if (block_.part_bytes(part_) <= kSliceBytes) {
        return {part_++, 0, 0, true};
      } else {
        sort_ahead();
        is_sliced_ = true;
        line_ = 0;
      }
    }
    return {0, 0, 0, false};
  }

 private:
  // Has the part sorted, and those after it that are to be cut.
  void sort_ahead() {
    if (part_ < sorted_) return;
    sorted_ = std::min(block_.parts(), part_ + parts_at_once_);
    tbb::parallel_for(part_, sorted_, [&](std::size_t part) {
      if (block_.part_bytes(part) > kSliceBytes) block_.sort_part(part);
    });
  }

  Slice next_of_part() {
    const std::size_t begin = line_;
    for (std::size_t bytes = 0; line_ != block_.size(part_); ++line_) {
      bytes += block_.line(part_, line_).size() + 1;
      if (bytes > kSliceBytes && line_ != begin) break;
    }
    return {part_, begin, line_, false};
  }

  LineBlock& block_;
  const std::size_t parts_at_once_;
  std::size_t part_ = 0, line_ = 0, sorted_ = 0;  // sorted_: the parts before it are sorted, or whole slices
  bool is_sliced_ = false;
};

class RunWriter {
 public:
  RunWriter(LineBlock& block, const LineOrder& order, const KeyEncoder& encoder, std::size_t block_bytes,
            const PackGoal& goal)
      : block_(block), order_(order), encoder_(encoder), block_bytes_(block_bytes), goal_(goal) {}

  void sort(Slice& slice) const {
    if (slice.is_whole) block_.sort_part(slice.part);
    if (slice.is_whole) slice.end = block_.size(slice.part);
  }

  // Calls put(block) for each block of the lines that are left, until it returns false.
  template <typename Put>
  void encode(Slice& slice, const Put& put) const {
    BlockEncoder records(order_, goal_);
    const std::size_t block_bytes = even_block_bytes(slice);
    std::string keyed[2];
    Record last;
    const LineBlock::PartLines lines = block_.lines_of(slice.part);
    std::size_t i = slice.begin;
    for (bool goes_on = true; goes_on && i != slice.end; ++i) {
      if ((i - slice.begin) % kAhead == 0) lines.load_early(i, std::min(slice.end, i + kAhead));
      const std::string_view line = lines[i];
      if (const LongestLine measured = measure_long(line, encoder_); measured.is_long()) {
        if (!records.is_empty() && !put(records.finish())) break;
        goes_on = put(encode_long(line, measured, records));
        last = {};  // the next line begins a block, and its record may take the place of the last one's
        continue;
      }
      const Record record = make_record(line, encoder_, order_, keyed[i % 2]);
      add(records, record, last.bytes);
      last = record;
      if (records.record_bytes() >= block_bytes) goes_on = put(records.finish());
    }
    slice.begin = i;
    if (!records.is_empty()) put(records.finish());
  }

 private:
  // So that the last block of a slice is no shorter than the others. Only keys make records longer than lines.
  std::size_t even_block_bytes(const Slice& slice) const {
    const auto bytes = slice.is_whole ? block_.part_bytes(slice.part) : kSliceBytes;
    const std::uint64_t blocks = std::max<std::uint64_t>(1, (bytes + block_bytes_ / 4) / block_bytes_);
    return order_.has_keys ? block_bytes_ : static_cast<std::size_t>(bytes / blocks) + 1;
  }

  // Copies no more than it must. Requires: `records` is empty.
  EncodedBlock encode_long(std::string_view line, const LongestLine& measured, BlockEncoder& records) const {
    std::string keyed;
    if (order_.has_keys) keyed.reserve(measured.record());
    return records.encode_alone(make_record(line, encoder_, order_, keyed));
  }

  // Lines of a block are padded, records with keys are not.
  void add(BlockEncoder& records, const Record& record, std::string_view last) const {
    if (order_.has_keys) return records.add(record, shared_bytes(last, record.bytes));
    records.add_padded(record, shared_padded_bytes(last, record.bytes));
  }

  LineBlock& block_;
  RecordOrder order_;
  const KeyEncoder& encoder_;
  std::size_t block_bytes_;
  PackGoal goal_;
};

// How many slices are worked on at once, and the most bytes that they have encoded together.
struct SlicePlan {
  std::size_t slices, encoded_bytes;
};

// Plans slices that fit `memory`, with gaps between allocations. Long lines take what the block has left.
SlicePlan plan_slices(LineBlock& block, const LongLineCosts& costs, std::size_t block_bytes, std::size_t memory) {
  constexpr std::size_t kContextBytes = std::size_t{512} << 10;  // of the compressor
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  // Records of a block, copied as they grow, what they become, and two records with keys.
  const std::size_t record = block.most_usual_record(), records = std::min(block_bytes, kSliceBytes) + record;
  const std::size_t encoders = threads * (kContextBytes + 3 * records + 2 * record);
  SlicePlan plan{2 * (threads + 1), (std::max(memory, encoders + kSliceBytes) - encoders) / 4 * 3};
  if (block.longest().is_long()) {
    plan.slices = std::clamp<std::size_t>(block.free_bytes() / costs.to_run(block.longest()), 1, plan.slices);
  }
  return plan;
}

}  // namespace

// Where what waits does not fit, one thread encodes alone: lines that do not become shorter need all of kMostBytes.
std::size_t encoding_memory(std::size_t threads, std::size_t memory_bytes) {
  constexpr std::size_t kBytes = std::size_t{768} << 10, kMostBytes = std::size_t{2560} << 10;  // of a slice
  constexpr std::size_t kSmall = std::size_t{256} << 20, kPartOfMore = 32;
  const std::size_t more = memory_bytes > kSmall ? (memory_bytes - kSmall) / kPartOfMore : 0;
  return (2 * threads + 2) * kBytes + std::min(more, (2 * threads + 2) * (kMostBytes - kBytes));
}

Run write_run(LineBlock& block, const LineOrder& order, const KeyEncoder& encoder, RunSpace& space,
              std::size_t block_bytes, std::size_t memory_bytes, const std::function<void()>& check) {
  const RunWriter writer(block, order, encoder, block_bytes, space.goal());
  Run run;
  run.file = &space.next_file();
  InFlight<Slice> slices;
  const SlicePlan plan = plan_slices(block, LongLineCosts(encoder), block_bytes, memory_bytes);
  std::atomic<std::size_t> encoded_bytes{0};  // that wait
  std::uint64_t line_bytes = 0;
  const auto put = [&](const EncodedBlock& encoded) {
    line_bytes += encoded.block.bytes_of_lines(order.format);
    if (line_bytes > block.text_bytes()) refuse_changed_text();
    space.charge(encoded.stored.size());
    append_block(run, encoded);
    return true;
  };
  Slicer slicer(block, 2 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  const auto next =
      tbb::make_filter<void, SlicePointer>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (check) check();
        Slice slice = slicer.next();
        if (!slice.is_whole && slice.begin == slice.end) control.stop();
        return slices.add(std::move(slice));
      });
  const auto encode = tbb::make_filter<SlicePointer, SlicePointer>(tbb::filter_mode::parallel, [&](SlicePointer slice) {
    writer.sort(*slice);
    writer.encode(*slice, [&](EncodedBlock encoded) {
      const std::size_t bytes = encoded.stored.size(), raw_bytes = encoded.block.raw_bytes;
      slice->encoded.push_back(std::move(encoded));
      return encoded_bytes.fetch_add(bytes) + bytes + raw_bytes <= plan.encoded_bytes;
    });
    return slice;
  });
  const auto append = tbb::make_filter<SlicePointer, void>(tbb::filter_mode::serial_in_order, [&](SlicePointer slice) {
    for (EncodedBlock& encoded : slice->encoded) {
      encoded_bytes -= encoded.stored.size();
      put(std::exchange(encoded, {}));
    }
    writer.encode(*slice, put);  // what the others left
    slices.remove(slice);
  });
  tbb::parallel_pipeline(plan.slices, next & encode & append);
  if (line_bytes != block.bytes_of_parts()) refuse_changed_text();
  run.blocks.shrink_to_fit();
  return run;
}

}  // namespace spillway
