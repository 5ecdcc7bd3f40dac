#include "sort/lines/runs/memory_run.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sort/lines/block/changed_text.hpp"

namespace spillway {

namespace {

// Lines that become blocks of the run.
struct Slices {
  std::vector<EncodedBlock> blocks;  // without what is stored
  std::vector<MemoryLines::Place> places;
};

// Slices of a sorted part.
Slices cut_part(const LineBlock& block, std::size_t part, const RecordOrder& order, const KeyEncoder& encoder,
                std::size_t block_bytes) {
  Slices slices;
  std::string keyed;
  const std::size_t lines = block.size(part);
  for (std::size_t i = 0; i != lines;) {
    BlockEncoder encoded(order);
    slices.places.push_back({part, i});
    for (; i != lines && encoded.record_bytes() < block_bytes; ++i) {
      encoded.note(make_record(block.line(part, i), encoder, order, keyed));
    }
    slices.blocks.push_back(encoded.finish_noted());
  }
  return slices;
}

}  // namespace

Run make_memory_run(LineBlock& block, const LineOrder& order, const KeyEncoder& encoder, std::size_t block_bytes) {
  const RecordOrder record_order(order);
  std::vector<Slices> slices(block.parts());
  tbb::parallel_for(std::size_t{0}, block.parts(), [&](std::size_t part) {
    block.sort_part(part);
    slices[part] = cut_part(block, part, record_order, encoder, block_bytes);
  });
  Run run;
  run.lines = std::make_unique<MemoryLines>(block, encoder);
  std::uint64_t line_bytes = 0;
  for (const Slices& of_part : slices) {
    for (const EncodedBlock& encoded : of_part.blocks) {
      line_bytes += encoded.block.bytes_of_lines(order.format);
      append_block(run, encoded);
    }
    run.lines->places.insert(run.lines->places.end(), of_part.places.begin(), of_part.places.end());
  }
  if (line_bytes != block.bytes_of_parts() || line_bytes > block.text_bytes()) refuse_changed_text();
  return run;
}

}  // namespace spillway
