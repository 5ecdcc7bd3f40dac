#include "sort/lines/run_writer.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <string>

#include "io/base/bytes.hpp"
#include "io/memory/in_flight.hpp"

namespace spillway {

namespace {

constexpr std::size_t kAhead = 16;  // lines from which texts are loaded early

// A part of the block, and the blocks of the run that it becomes.
struct EncodedPart {
  std::size_t part;
  std::vector<EncodedBlock> encoded;
};
using PartPointer = EncodedPart*;

class RunWriter {
 public:
  RunWriter(LineBlock& block, const LineOrder& order, const KeyEncoder& encoder, std::size_t block_bytes)
      : block_(block), order_(order), encoder_(encoder), block_bytes_(block_bytes) {}

  void encode(EncodedPart& part) const {
    block_.sort_part(part.part);
    BlockEncoder records(order_);
    std::string keyed[2];
    Record last;
    const std::size_t lines = block_.size(part.part);
    for (std::size_t i = 0; i != lines; ++i) {
      if (i + kAhead < lines) block_.prefetch(part.part, i + kAhead);
      const Record record = make_record(block_.line(part.part, i), keyed[i % 2]);
      records.add(record, shared_bytes(last.bytes, record.bytes));
      last = record;
      if (records.record_bytes() >= block_bytes_) part.encoded.push_back(records.finish());
    }
    if (!records.is_empty()) part.encoded.push_back(records.finish());
  }

 private:
  // `keyed` holds the record if there are keys.
  Record make_record(std::string_view line, std::string& keyed) const {
    if (!order_.has_keys) return {line, 0};
    keyed.clear();
    encoder_.append(line, keyed);
    const auto key_bytes = static_cast<std::uint32_t>(keyed.size());
    keyed += line;
    return {keyed, key_bytes};
  }

  LineBlock& block_;
  RecordOrder order_;
  const KeyEncoder& encoder_;
  std::size_t block_bytes_;
};

}  // namespace

Run write_run(LineBlock& block, const LineOrder& order, const KeyEncoder& encoder, RunSpace& space,
              std::size_t block_bytes, const std::function<void()>& check) {
  const RunWriter writer(block, order, encoder, block_bytes);
  Run run;
  run.file = &space.next_file();
  InFlight<EncodedPart> parts;
  std::size_t next_part = 0;
  const auto next =
      tbb::make_filter<void, PartPointer>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (check) check();
        if (next_part == block.parts()) control.stop();
        return next_part == block.parts() ? nullptr : parts.add({next_part++, {}});
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
