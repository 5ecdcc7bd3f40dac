#include "sort/lines/output.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <cstring>
#include <vector>

#include "io/base/bytes.hpp"
#include "io/memory/in_flight.hpp"

namespace spillway {

namespace {

constexpr std::size_t kGroup = 1024;  // lines whose bytes are summed up
constexpr std::size_t kChunkBytes = std::size_t{512} << 10;
constexpr std::size_t kFarAhead = 24, kAhead = 12;  // lines from which references and texts are loaded early

// Lines [begin, end) and the place of their bytes in the output.
struct Chunk {
  std::size_t begin = 0, end = 0;
  std::uint64_t offset = 0, bytes = 0;
  std::vector<std::uint8_t> text;  // unless they are too long
};

std::vector<std::uint64_t> group_offsets(const LineBlock& block) {
  const std::size_t groups = (block.size() + kGroup - 1) / kGroup;
  std::vector<std::uint64_t> offsets(groups + 1);
  tbb::parallel_for(std::size_t{0}, groups, [&](std::size_t group) {
    std::uint64_t bytes = 0;
    const std::size_t end = std::min(block.size(), (group + 1) * kGroup);
    for (std::size_t i = group * kGroup; i < end; ++i) {
      if (i + kFarAhead < end) block.prefetch_reference(i + kFarAhead);
      bytes += block.line(i).bytes + 1;
    }
    offsets[group + 1] = bytes;
  });
  for (std::size_t group = 0; group < groups; ++group) offsets[group + 1] += offsets[group];
  return offsets;
}

// Groups that fit kChunkBytes together, or one group.
Chunk next_chunk(const std::vector<std::uint64_t>& offsets, std::size_t& group, std::size_t lines) {
  Chunk chunk;
  chunk.begin = group * kGroup;
  chunk.offset = offsets[group];
  do {
    ++group;
  } while (group + 1 < offsets.size() && offsets[group + 1] - chunk.offset <= kChunkBytes);
  chunk.end = std::min(lines, group * kGroup);
  chunk.bytes = offsets[group] - chunk.offset;
  return chunk;
}

void gather(const LineBlock& block, Chunk& chunk) {
  if (chunk.bytes > 2 * kChunkBytes) return;
  chunk.text.resize(chunk.bytes);
  std::uint8_t* to = chunk.text.data();
  for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
    if (i + kFarAhead < chunk.end) block.prefetch_reference(i + kFarAhead);
    if (i + kAhead < chunk.end) block.prefetch_text(i + kAhead);
    const StringRef& line = block.line(i);
    std::memcpy(to, line.data, line.bytes + 1);
    to += line.bytes + 1;
  }
}

void put_text(LineOutput& output, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  if (output.has_places()) {
    output.write_at(offset, bytes);
  } else {
    output.write(bytes);
  }
}

void write_chunk(const LineBlock& block, const Chunk& chunk, LineOutput& output) {
  if (!chunk.text.empty()) return put_text(output, chunk.offset, chunk.text);
  std::uint64_t offset = chunk.offset;
  for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
    const StringRef& line = block.line(i);
    put_text(output, offset, {line.data, line.bytes + std::size_t{1}});
    offset += line.bytes + 1;
  }
}

// The bytes of the first lines of `text` that hold kChunkBytes together, or of all. Requires: `text` ends a line.
std::size_t first_lines(std::span<const std::uint8_t> text) {
  if (text.size() <= kChunkBytes) return text.size();
  const auto rest = text.subspan(kChunkBytes - 1);
  const auto* const end = static_cast<const std::uint8_t*>(std::memchr(rest.data(), text.back(), rest.size()));
  return static_cast<std::size_t>(end - text.data()) + 1;
}

void write_in_order(std::span<const std::uint8_t> text, LineOutput& output) {
  for (std::size_t at = 0; at < text.size();) {
    const auto lines = text.subspan(at, first_lines(text.subspan(at)));
    put_text(output, at, lines);
    at += lines.size();
  }
}

}  // namespace

std::uint64_t write_block(const LineBlock& block, LineOutput& output) {
  if (const auto text = block.text_in_order(); !text.empty()) {
    write_in_order(text, output);
    return text.size();
  }
  const std::vector<std::uint64_t> offsets = group_offsets(block);
  std::size_t group = 0;
  const auto tokens = static_cast<std::size_t>(2 * tbb::this_task_arena::max_concurrency() + 2);
  using ChunkPointer = Chunk*;
  InFlight<Chunk> chunks;
  const auto next = tbb::make_filter<void, ChunkPointer>(tbb::filter_mode::serial_in_order,
                                                         [&](tbb::flow_control& control) -> ChunkPointer {
                                                           if (group + 1 >= offsets.size()) {
                                                             control.stop();
                                                             return nullptr;
                                                           }
                                                           return chunks.add(next_chunk(offsets, group, block.size()));
                                                         });
  const auto fill = tbb::make_filter<ChunkPointer, ChunkPointer>(tbb::filter_mode::parallel, [&](ChunkPointer chunk) {
    gather(block, *chunk);
    return chunk;
  });
  const auto write = tbb::make_filter<ChunkPointer, void>(
      output.has_places() ? tbb::filter_mode::parallel : tbb::filter_mode::serial_in_order, [&](ChunkPointer chunk) {
        write_chunk(block, *chunk, output);
        chunks.remove(chunk);
      });
  tbb::parallel_pipeline(tokens, next & fill & write);
  return offsets.back();
}

}  // namespace spillway
