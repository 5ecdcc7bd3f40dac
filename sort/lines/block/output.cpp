#include "sort/lines/block/output.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <string_view>
#include <vector>

#include "io/base/bytes.hpp"
#include "io/memory/in_flight.hpp"
#include "sort/lines/block/changed_text.hpp"
#include "sort/lines/block/padded_copy.hpp"

namespace spillway {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{512} << 10;  // that are gathered before they are written
constexpr std::size_t kAhead = 48;                           // lines whose texts are loaded early

// Calls put(bytes) with the text of a sorted part, at most kChunkBytes at once or one line. Throws IoError where the
// part has other bytes than when it was measured: mapped text has changed since.
class PartText {
 public:
  template <typename Put>
  void gather(const LineBlock& block, std::size_t part, const Put& put) {
    text_.resize(kChunkBytes + kCopyPadding);
    std::uint8_t* to = text_.data();
    const std::uint8_t* const end = text_.data() + kChunkBytes;
    const auto hand_on = [&] {
      if (to != text_.data()) put(std::span<const std::uint8_t>(text_.data(), to));
      to = text_.data();
    };
    const LineBlock::PartLines lines = block.lines_of(part);
    const std::size_t count = block.size(part), end_bytes = block.format().end_bytes();
    std::uint64_t left = block.part_bytes(part);
    for (std::size_t i = 0; i != count; ++i) {
      if (i % kAhead == 0) lines.load_early(i, std::min(count, i + kAhead));
      const std::string_view line = lines[i];
      if (line.size() + end_bytes > left) refuse_changed_text();
      left -= line.size() + end_bytes;
      if (line.size() >= static_cast<std::size_t>(end - to)) hand_on();
      if (line.size() < kChunkBytes) {
        to = copy_padded(reinterpret_cast<const std::uint8_t*>(line.data()), line.size() + end_bytes, to);
      } else {
        put(bytes_of({line.data(), line.size() + end_bytes}));
      }
    }
    hand_on();
    if (left != 0) refuse_changed_text();
  }

 private:
  std::vector<std::uint8_t> text_;
};

// The bytes of the first lines of `text` that hold kChunkBytes together, or of all.
std::size_t first_lines(std::span<const std::uint8_t> text, LineFormat format) {
  if (text.size() <= kChunkBytes) return text.size();
  const std::size_t end = format.after_line(text.data(), kChunkBytes - 1, text.size());
  return end == 0 ? text.size() : end;
}

void write_in_order(std::span<const std::uint8_t> text, LineFormat format, LineOutput& output) {
  for (std::size_t at = 0; at < text.size() && !output.is_full();) {
    const auto lines = text.subspan(at, first_lines(text.subspan(at), format));
    put_text(output, at, lines);
    at += lines.size();
  }
}

// Sorts and writes parts at their places. Parts whose lines may be dropped are sorted before: their sizes decide where
// the next ones begin.
std::uint64_t write_at_places(LineBlock& block, bool drops_lines, LineOutput& output) {
  const auto for_each_part = [&](const auto& body) {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, block.parts(), 1),
        [&](const auto& range) {
          for (std::size_t part = range.begin(); part != range.end(); ++part) body(part);
        },
        tbb::simple_partitioner());
  };
  if (drops_lines) for_each_part([&](std::size_t part) { block.sort_part(part); });
  std::vector<std::uint64_t> offsets(block.parts() + 1);
  for (std::size_t part = 0; part != block.parts(); ++part) offsets[part + 1] = offsets[part] + block.part_bytes(part);
  if (offsets.back() > block.text_bytes()) refuse_changed_text();
  output.expect_all(offsets.back());
  tbb::enumerable_thread_specific<PartText> texts;
  for_each_part([&](std::size_t part) {
    if (!drops_lines) block.sort_part(part);
    std::uint64_t offset = offsets[part];
    texts.local().gather(block, part, [&](std::span<const std::uint8_t> bytes) {
      output.write_at(offset, bytes);
      offset += bytes.size();
    });
  });
  return offsets.back();
}

// A part, and its text if that is short.
struct SortedPart {
  std::size_t number;
  std::vector<std::uint8_t> text;
};

std::uint64_t write_in_turn(LineBlock& block, LineOutput& output) {
  using Pointer = SortedPart*;
  const auto tokens = static_cast<std::size_t>(2 * tbb::this_task_arena::max_concurrency() + 2);
  InFlight<SortedPart> parts;
  std::size_t next_part = 0;
  std::uint64_t written = 0;
  tbb::enumerable_thread_specific<PartText> texts;
  const auto next =
      tbb::make_filter<void, Pointer>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) -> Pointer {
        if (next_part == block.parts() || output.is_full()) {
          control.stop();
          return nullptr;
        }
        return parts.add({next_part++, {}});
      });
  const auto sort = tbb::make_filter<Pointer, Pointer>(tbb::filter_mode::parallel, [&](Pointer part) {
    block.sort_part(part->number);
    if (block.part_bytes(part->number) > kChunkBytes) return part;
    texts.local().gather(block, part->number, [&](std::span<const std::uint8_t> bytes) {
      part->text.insert(part->text.end(), bytes.begin(), bytes.end());
    });
    return part;
  });
  const auto write = tbb::make_filter<Pointer, void>(tbb::filter_mode::serial_in_order, [&](Pointer part) {
    written += block.part_bytes(part->number);
    if (written > block.text_bytes()) refuse_changed_text();
    if (!part->text.empty()) {
      output.write(part->text);
    } else {
      texts.local().gather(block, part->number, [&](std::span<const std::uint8_t> bytes) { output.write(bytes); });
    }
    parts.remove(part);
  });
  tbb::parallel_pipeline(tokens, next & sort & write);
  return written;
}

}  // namespace

std::uint64_t write_block(LineBlock& block, bool drops_lines, LineOutput& output) {
  if (const auto text = block.text_in_order(); !text.empty()) {
    write_in_order(text, block.format(), output);
    return text.size();
  }
  return output.has_places() ? write_at_places(block, drops_lines, output) : write_in_turn(block, output);
}

}  // namespace spillway
