#include "sort/lines/head/head_source.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "sort/lines/block/line_ends.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;  // text of one task

struct Piece {
  std::uint8_t* begin;
  std::uint8_t* end;
  std::size_t lines = 0;
};

// Cuts whole lines into pieces.
std::vector<Piece> cut(std::span<std::uint8_t> lines, LineFormat format) {
  std::vector<Piece> pieces;
  while (!lines.empty()) {
    const std::size_t bytes =
        lines.size() > kPieceBytes ? format.after_line(lines.data(), kPieceBytes - 1, lines.size()) : lines.size();
    pieces.push_back({lines.data(), lines.data() + bytes});
    lines = lines.subspan(bytes);
  }
  return pieces;
}

// Moves the lines that are not excluded to the piece's begin, and sets its end.
void drop_excluded(Piece& piece, LineFormat format, const HeadThreshold& threshold) {
  std::uint8_t* to = piece.begin;
  const std::uint8_t* line = piece.begin;
  const auto take = [&](const std::uint8_t* end) {
    const auto bytes = static_cast<std::size_t>(end - line);
    if (!threshold.excludes({reinterpret_cast<const char*>(line), bytes})) {
      std::memmove(to, line, bytes + format.end_bytes());
      to += bytes + format.end_bytes();
    }
    line = end + format.end_bytes();
    ++piece.lines;
  };
  if (format.has_ends()) {
    for_each_line_end(piece.begin, piece.end, format.line_end, take);
  } else {
    while (line != piece.end) take(line + format.record_bytes);
  }
  piece.end = to;
}

}  // namespace

HeadSource::HeadSource(LineInput& input, const LineOrder& order, const KeyEncoder& encoder, LineHead head,
                       MemoryBudget& budget, std::size_t most_bytes)
    : input_(input),
      format_(order.format),
      encoder_(encoder),
      head_(head),
      threshold_(order, encoder, head.counts_groups),
      budget_(budget),
      most_bytes_(most_bytes) {}

std::size_t HeadSource::read(std::span<std::uint8_t> out) {
  if (given_ != kept_bytes_) {
    const std::size_t bytes = std::min(out.size(), kept_bytes_ - given_);
    std::memcpy(out.data(), kept_.data() + given_, bytes);
    given_ += bytes;
    return bytes;
  }
  std::size_t done = 0;
  while (done <= out.size() / 2) {
    const std::size_t got = input_.read(out.subspan(done));
    if (got == 0) break;
    if (threshold_.is_set()) {
      done += filter(out.subspan(done, got));
    } else {
      note(out.subspan(done, got));
      done += got;
    }
  }
  return done;
}

// The bytes of the begin of `text` that belong to the line that the last text ended in; all of them if it goes on.
std::size_t HeadSource::rest_of_line(std::span<const std::uint8_t> text) const {
  if (!is_in_line_) return 0;
  if (!format_.has_ends()) return std::min<std::size_t>(text.size(), format_.record_bytes - begun_in_record_);
  const std::size_t rest = format_.after_line(text.data(), 0, text.size());
  return rest == 0 ? text.size() : rest;
}

// Notes lines that are given: how many there are, and where the last one ends.
void HeadSource::note(std::span<const std::uint8_t> text) {
  if (format_.has_ends()) {
    lines_read_ += line_end_kernel().count(text.data(), text.size(), format_.line_end);
    is_in_line_ = text.back() != static_cast<std::uint8_t>(format_.line_end);
    return;
  }
  const std::size_t bytes = begun_in_record_ + text.size();
  lines_read_ += bytes / format_.record_bytes;
  begun_in_record_ = bytes % format_.record_bytes;
  is_in_line_ = begun_in_record_ != 0;
}

// Moves what is given of `text`, which goes on where the last text ended, to its begin. Returns the number of bytes.
std::size_t HeadSource::filter(std::span<std::uint8_t> text) {
  const std::size_t rest = rest_of_line(text);
  if (rest != 0) note(text.first(rest));
  const std::span<std::uint8_t> after = text.subspan(rest);
  const std::size_t whole = after.empty() ? 0 : format_.after_lines(after.data(), after.size());
  const std::span<std::uint8_t> tail = after.subspan(whole);
  std::vector<Piece> pieces = cut(after.first(whole), format_);
  tbb::parallel_for(std::size_t{0}, pieces.size(),
                    [&](std::size_t i) { drop_excluded(pieces[i], format_, threshold_); });
  std::uint8_t* to = after.data();
  for (const Piece& piece : pieces) {
    lines_read_ += piece.lines;
    std::memmove(to, piece.begin, static_cast<std::size_t>(piece.end - piece.begin));
    to += piece.end - piece.begin;
  }
  if (!tail.empty()) note(tail);
  std::memmove(to, tail.data(), tail.size());
  return static_cast<std::size_t>(to - text.data()) + tail.size();
}

// Whether a line's keys differ from those of the line of the last call.
bool HeadSource::begins_group(std::string_view line) {
  key_.clear();
  if (encoder_.has_keys()) {
    encoder_.append(line, key_);
  } else {
    key_ = line;
  }
  const bool differs = key_ != last_key_;
  std::swap(key_, last_key_);
  return differs;
}

BlockHead HeadSource::find(LineBlock& block) {
  const auto batch = static_cast<std::size_t>(2 * tbb::this_task_arena::max_concurrency());
  const auto share = [&](const BlockHead& found) {
    return std::max(static_cast<double>(found.lines) / static_cast<double>(block.lines()),
                    static_cast<double>(found.bytes) / static_cast<double>(block.text_bytes()));
  };
  BlockHead first;
  std::string_view last;
  for (; first.parts != block.parts(); ++first.parts) {
    const std::size_t part = first.parts;
    if (part % batch == 0) {
      tbb::parallel_for(part, std::min(part + batch, block.parts()), [&](std::size_t i) { block.sort_part(i); });
    }
    for (std::size_t i = 0; i != block.size(part); ++i) {
      const std::string_view line = block.line(part, i);
      const bool counts = !head_.counts_groups || begins_group(line) || first.count == 0;
      if (counts && first.count == head_.count) {
        threshold_.set(last);
        if (i != 0) ++first.parts;
        first.share = share(first);
        return first;
      }
      if (counts) ++first.count;
      ++first.lines;
      first.bytes += line.size() + format_.end_bytes();
      last = line;
    }
  }
  if (first.count == head_.count) threshold_.set(last);
  first.share = share(first);
  return first;
}

bool HeadSource::keep(LineBlock& block, const BlockHead& first) {
  const std::size_t rest = kept_bytes_ - given_, bytes = first.bytes + block.pending().size() + rest;
  if (bytes > most_bytes_) return false;
  Buffer kept(budget_, std::max<std::size_t>(bytes, 1), "first lines");
  std::uint8_t* to = kept.data();
  const auto add = [&](const void* from, std::size_t count) {
    std::memcpy(to, from, count);
    to += count;
  };
  std::size_t left = first.lines;
  for (std::size_t part = 0; part != first.parts; ++part) {
    for (std::size_t i = 0; i != block.size(part) && left != 0; ++i, --left) {
      const std::string_view line = block.line(part, i);
      add(line.data(), line.size() + format_.end_bytes());
    }
  }
  add(block.pending().data(), block.pending().size());
  if (rest != 0) add(kept_.data() + given_, rest);
  block.drop_pending();
  kept_ = std::move(kept);
  kept_bytes_ = bytes;
  given_ = 0;
  return true;
}

}  // namespace spillway
