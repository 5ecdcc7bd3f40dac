#include "sort/lines/run_writer.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <string>

#include "io/memory/in_flight.hpp"
namespace spillway {

namespace {

constexpr std::size_t kMostPartBlocks = 16;        // whose bytes a part of long lines may have
constexpr std::size_t kMostLines = 65536;          // of a part
constexpr std::size_t kAhead = 8, kFarAhead = 16;  // lines whose texts and references are loaded early

// Lines [begin, end) of the sorted block, and the blocks of the run that they become.
struct Part {
  std::size_t begin, end;
  std::vector<EncodedBlock> encoded;
};
using PartPointer = Part*;

class RunWriter {
 public:
  RunWriter(const LineBlock& block, const LineOrder& order, const KeyEncoder& encoder, std::size_t block_bytes)
      : block_(block),
        order_(order),
        encoder_(encoder),
        block_bytes_(block_bytes),
        lines_per_part_(lines_of_average()) {}

  void encode(Part& part) const {
    BlockEncoder records(order_);
    std::string record;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      if (i + kFarAhead < part.end) block_.prefetch_reference(i + kFarAhead);
      if (i + kAhead < part.end) block_.prefetch_text(i + kAhead);
      add(block_.line(i).view(), record, records);
      // Lines of a part may be longer than most.
      if (records.record_bytes() >= 2 * block_bytes_) part.encoded.push_back(records.finish());
    }
    if (!records.is_empty()) part.encoded.push_back(records.finish());
  }

  // Where the part that begins at `begin` ends. Only if there are lines much longer than most, it looks at them.
  std::size_t part_end(std::size_t begin) const {
    const std::size_t end = std::min(block_.size(), begin + lines_per_part_);
    if (block_.longest_line() * lines_per_part_ <= kMostPartBlocks * block_bytes_) return end;
    std::size_t bytes = 0, at = begin;
    while (at < end && (at == begin || bytes < block_bytes_)) bytes += block_.line(at++).bytes + std::size_t{1};
    return at;
  }

 private:
  std::size_t lines_of_average() const {
    const std::size_t lines = block_bytes_ * block_.size() / (block_.record_bytes() + 1);
    return std::clamp<std::size_t>(lines, 1, kMostLines);
  }

  void add(std::string_view line, std::string& record, BlockEncoder& records) const {
    if (!order_.has_keys) return records.add({line, 0});
    record.clear();
    encoder_.append(line, record);
    const auto key_bytes = static_cast<std::uint32_t>(record.size());
    record += line;
    records.add({record, key_bytes});
  }

  const LineBlock& block_;
  RecordOrder order_;
  const KeyEncoder& encoder_;
  std::size_t block_bytes_, lines_per_part_;
};

}  // namespace

Run write_run(const LineBlock& block, const LineOrder& order, const KeyEncoder& encoder, RunSpace& space,
              std::size_t block_bytes, const std::function<void()>& check) {
  const RunWriter writer(block, order, encoder, block_bytes);
  Run run;
  run.file = &space.next_file();
  InFlight<Part> parts;
  std::size_t begin = 0;
  const auto next =
      tbb::make_filter<void, PartPointer>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (check) check();
        const std::size_t from = begin;
        begin = writer.part_end(begin);
        if (from == begin) control.stop();
        return parts.add({from, begin, {}});
      });
  const auto encode = tbb::make_filter<PartPointer, PartPointer>(tbb::filter_mode::parallel, [&](PartPointer part) {
    writer.encode(*part);
    return part;
  });
  const auto append = tbb::make_filter<PartPointer, void>(tbb::filter_mode::serial_in_order, [&](PartPointer part) {
    for (const EncodedBlock& encoded : part->encoded) {
      space.charge(encoded.stored.size());
      append_block(run, encoded);
    }
    parts.remove(part);
  });
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  tbb::parallel_pipeline(2 * (threads + 1), next & encode & append);
  run.blocks.shrink_to_fit();
  return run;
}

}  // namespace spillway
