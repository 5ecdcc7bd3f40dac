#include "sort/lines/head/head_source.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace spillway {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;  // text of one task

struct Piece {
  std::uint8_t* begin;
  std::uint8_t* end;
  std::size_t lines = 0;
};

// Cuts whole lines into pieces.
std::vector<Piece> cut(std::uint8_t* begin, std::uint8_t* end, char line_end) {
  std::vector<Piece> pieces;
  while (begin != end) {
    std::uint8_t* piece_end = end;
    if (static_cast<std::size_t>(end - begin) > kPieceBytes) {
      std::uint8_t* const from = begin + kPieceBytes - 1;
      piece_end = static_cast<std::uint8_t*>(std::memchr(from, line_end, static_cast<std::size_t>(end - from))) + 1;
    }
    pieces.push_back({begin, piece_end});
    begin = piece_end;
  }
  return pieces;
}

// Moves the lines that are not excluded to the piece's begin, and sets its end.
void drop_excluded(Piece& piece, char line_end, const HeadThreshold& threshold) {
  std::uint8_t* to = piece.begin;
  const std::uint8_t* line = piece.begin;
  for_each_line_end(piece.begin, piece.end, line_end, [&](const std::uint8_t* end) {
    const auto bytes = static_cast<std::size_t>(end - line);
    if (!threshold.excludes({reinterpret_cast<const char*>(line), bytes})) {
      std::memmove(to, line, bytes + 1);
      to += bytes + 1;
    }
    line = end + 1;
    ++piece.lines;
  });
  piece.end = to;
}

}  // namespace

HeadSource::HeadSource(LineInput& input, const LineOrder& order, const KeyEncoder& encoder, LineHead head,
                       MemoryBudget& budget, std::size_t most_bytes)
    : input_(input),
      line_end_(order.line_end),
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

// Counts the lines of text that is given as it is.
void HeadSource::note(std::span<const std::uint8_t> text) {
  const auto end = static_cast<std::uint8_t>(line_end_);
  lines_read_ += static_cast<std::uint64_t>(std::ranges::count(text, end));
  is_in_line_ = text.back() != end;
}

// Moves what is given of `text`, which goes on where the last text ended, to its begin. Returns the number of bytes.
std::size_t HeadSource::filter(std::span<std::uint8_t> text) {
  std::uint8_t *begin = text.data(), *const end = text.data() + text.size();
  if (is_in_line_) {
    void* const found = std::memchr(begin, line_end_, text.size());
    if (found == nullptr) return text.size();
    begin = static_cast<std::uint8_t*>(found) + 1;
    ++lines_read_;
  }
  void* const last = ::memrchr(begin, line_end_, static_cast<std::size_t>(end - begin));
  std::uint8_t* const tail = last == nullptr ? begin : static_cast<std::uint8_t*>(last) + 1;
  std::vector<Piece> pieces = cut(begin, tail, line_end_);
  tbb::parallel_for(std::size_t{0}, pieces.size(),
                    [&](std::size_t i) { drop_excluded(pieces[i], line_end_, threshold_); });
  is_in_line_ = tail != end;
  std::uint8_t* to = begin;
  for (const Piece& piece : pieces) {
    lines_read_ += piece.lines;
    std::memmove(to, piece.begin, static_cast<std::size_t>(piece.end - piece.begin));
    to += piece.end - piece.begin;
  }
  std::memmove(to, tail, static_cast<std::size_t>(end - tail));
  return static_cast<std::size_t>(to + (end - tail) - text.data());
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
      first.bytes += line.size() + 1;
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
      add(line.data(), line.size() + 1);
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
