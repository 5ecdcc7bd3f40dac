#include "sort/lines/block/text.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>

#include "io/base/error.hpp"
#include "sort/interface/scratch.hpp"
#include "sort/lines/block/padded_copy.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStepBytes = std::size_t{32} << 20;  // text that is read, and then cut, at once
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // text of one task
constexpr std::size_t kPageBytes = 4096;                   // whose multiples can be mapped
constexpr std::size_t kKeyBytes = std::size_t{64} << 10;   // of encoded keys that a task places at once
constexpr std::size_t kReadAfter = 8;                      // bytes that may be read after a key
// Lengths of lines, of keys, of records, which hold both, and of blocks of runs have 32 bits. A block holds one record
// after those that do not fill it, which have a few MiB together; so both must leave room for them.
constexpr std::size_t kMostLineBytes = std::size_t{1} << 30;
constexpr std::size_t kMostKeyBytes = std::size_t{2} << 30;

std::string_view text_of(const std::uint8_t* from, std::size_t bytes) {
  return {reinterpret_cast<const char*>(from), bytes};
}

}  // namespace

LineText::LineText(MemoryBudget& budget, std::size_t bytes, Format format)
    : encoder_(format.encoder),
      budget_(budget),
      bytes_for_(std::move(format.bytes_for)),
      lines_(format.lines),
      has_blobs_(encoder_.has_keys() && !encoder_.is_view()),
      buffer_(budget, std::min<std::size_t>(bytes, kMostItemOffset) / kPageBytes * kPageBytes, "lines"),
      top_(buffer_.data() + buffer_.size() - kReadAfter),
      maps_inputs_(format.maps_inputs) {}

std::span<std::uint8_t> LineText::free() {
  std::uint8_t* const begin = buffer_.data() + round_to_scratch_alignment(text_bytes_ + pending_bytes_ + kCopyPadding);
  return {begin, top_};
}

void LineText::number_lines() {
  std::size_t before = 0;
  for (TextPiece& piece : pieces_) piece.first_line = std::exchange(before, before + piece.lines);
}

// Bytes between the text and the keys that sorting does not need.
std::size_t LineText::room() const {
  const auto free = static_cast<std::size_t>(top_ - buffer_.data()) - text_bytes_ - pending_bytes_;
  const std::size_t needed = bytes_for_(line_count_);
  return free > needed ? free - needed : 0;
}

// Text that fits the room, if its keys and lines are as long as those that are there. Requires: there are some.
std::size_t LineText::expected_text() const {
  const double each = static_cast<double>(key_bytes() + bytes_for_(line_count_)) / static_cast<double>(text_bytes_);
  return static_cast<std::size_t>(static_cast<double>(room()) / each);
}

// The bytes to read next. Lines need more memory than their text. Pending text without a line end is the begin of a
// line; while that is all, each read may be as long as what there is of it.
std::size_t LineText::step_bytes() const {
  const std::size_t quarter = room() / 4;
  if (line_count_ != 0) return has_blobs_ ? std::min(quarter, expected_text()) : quarter;
  const std::size_t first = has_blobs_ ? std::min(quarter, kPieceBytes) : quarter;  // what keys take is not known yet
  return std::min(room(), std::max(first, pending_bytes_));
}

bool LineText::fill(LineSource& input) {
  std::memmove(buffer_.data(), buffer_.data() + text_bytes_, pending_bytes_);
  text_bytes_ = line_count_ = 0;
  top_ = buffer_.data() + buffer_.size() - kReadAfter;
  pieces_.clear();
  const bool maps = std::exchange(maps_inputs_, false) && fits_as_file(input.file_ahead());
  may_be_mapped_ = may_be_mapped_ || maps;
  if (!maps) buffer_.use_large_pages();  // sorted lines are read from all over it
  for (;;) {
    if (pending_bytes_ != 0 && !admit_some()) {
      if (line_count_ == 0 && grow()) continue;
      break;
    }
    if (is_at_end_) break;
    const std::size_t step = step_bytes();
    if (step < 4096 && line_count_ != 0) break;
    if (step == 0 && grow()) continue;
    if (step == 0) refuse_line();
    const std::size_t most = std::min(step, kStepBytes);
    const std::size_t wanted = maps && most > kPageBytes ? most / kPageBytes * kPageBytes : most;
    const std::span<std::uint8_t> out(buffer_.data() + text_bytes_ + pending_bytes_, wanted);
    const std::size_t got = maps ? input.map_or_read(out) : input.read(out);
    pending_bytes_ += got;
    is_at_end_ = input.is_at_end();
    if (got == 0) break;
  }
  if (line_count_ == 0 && pending_bytes_ != 0) refuse_line();
  number_lines();
  return line_count_ != 0;
}

// Whether there is probably room for a file and what its lines need beside it. If not, its pages are copied once more.
bool LineText::fits_as_file(std::optional<std::uint64_t> bytes) const {
  return bytes && *bytes < buffer_.size() / 4 * 3;
}

// Doubles the memory. Requires: all text is pending.
bool LineText::grow() {
  if (!grow_ || pending_bytes_ > kMostLineBytes || !grow_(2 * buffer_.size())) return false;
  Buffer larger(budget_, 2 * buffer_.size(), "lines");
  std::memcpy(larger.data(), buffer_.data(), pending_bytes_);
  if (may_be_mapped_) mapped_before_.push_back(std::move(buffer_));
  buffer_ = std::move(larger);
  top_ = buffer_.data() + buffer_.size() - kReadAfter;
  return true;
}

void LineText::refuse_line() const {
  const std::size_t end = line_end(text_bytes_);
  const std::size_t bytes = (end == 0 ? text_bytes_ + pending_bytes_ : end) - text_bytes_;
  if (bytes > kMostLineBytes) {
    throw BudgetError("a line of more than " + std::to_string(kMostLineBytes) +
                      " bytes: longer lines cannot be sorted");
  }
  throw BudgetError("a line of " + std::to_string(bytes) +
                    " bytes or more, and its keys, do not fit the memory of the " + "sort, " +
                    std::to_string(buffer_.size()) + " bytes: raise --memory or -S");
}

// Takes the pending lines that fit. Returns false if some are left.
bool LineText::admit_some() {
  std::size_t bytes = lines_end(pending_bytes_);
  if (bytes == 0) return true;  // no whole line yet
  if (has_blobs_ && text_bytes_ != 0) bytes = lines_end(std::min(bytes, expected_text()));
  const std::size_t least = has_blobs_ ? text_bytes_ / 16 : 0;  // each try encodes keys
  for (bool is_first = true; bytes != 0 && (is_first || bytes >= least); is_first = false) {
    if (admit(bytes)) return admit_some();
    bytes = lines_end(bytes / 2);
  }
  if (has_blobs_ && text_bytes_ != 0) return false;
  // One line, longer than half of what is pending.
  const std::size_t end = line_end(text_bytes_);
  return end != 0 && admit(end - text_bytes_) && admit_some();
}

// Where the line of the pending text ends that goes on at `from`; 0: not there yet.
std::size_t LineText::line_end(std::size_t from) const {
  return lines_.after_line(buffer_.data(), from, text_bytes_ + pending_bytes_);
}

// Where the last whole line in the first `bytes` of the pending text ends.
std::size_t LineText::lines_end(std::size_t bytes) const {
  return lines_.after_lines(buffer_.data() + text_bytes_, bytes);
}

// Cuts the next `bytes` of text, whole lines, into pieces at line ends.
std::vector<TextPiece> LineText::cut(std::size_t bytes) const {
  std::vector<TextPiece> pieces;
  const std::size_t end = text_bytes_ + bytes;
  for (std::size_t begin = text_bytes_; begin != end;) {
    std::size_t piece_end = end;
    if (end - begin > kPieceBytes) piece_end = line_end(begin + kPieceBytes - 1);
    pieces.push_back({begin, piece_end});
    begin = piece_end;
  }
  return pieces;
}

bool LineText::admit(std::size_t bytes) {
  std::vector<TextPiece> pieces = cut(bytes);
  for (const TextPiece& piece : pieces) {
    if (piece.end - piece.begin > kMostLineBytes) return false;
  }
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) {
    TextPiece& piece = pieces[i];
    const std::size_t size = piece.end - piece.begin;
    piece.lines = lines_.has_ends() ? line_end_kernel().count(buffer_.data() + piece.begin, size, lines_.line_end)
                                    : size / lines_.record_bytes;
  });
  std::size_t lines = line_count_;
  for (const TextPiece& piece : pieces) lines += piece.lines;
  if (lines > std::numeric_limits<std::uint32_t>::max()) return false;
  const auto fits = [&] {
    const auto free = static_cast<std::size_t>(top_ - buffer_.data());
    return text_bytes_ + pending_bytes_ + bytes_for_(lines) <= free;
  };
  if (!fits()) return false;
  if (has_blobs_) {
    std::uint8_t* const top_before = top_;
    const std::size_t needed = text_bytes_ + pending_bytes_ + bytes_for_(lines);
    if (!place_keys(pieces) || static_cast<std::size_t>(top_ - buffer_.data()) < needed) {
      top_ = top_before;
      return false;
    }
  }
  pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  line_count_ = lines;
  text_bytes_ += bytes;
  pending_bytes_ -= bytes;
  return true;
}

// Encodes the keys of each piece and copies them to the top of the free memory; pieces whose keys are many become
// several. Returns false if they do not fit.
bool LineText::place_keys(std::vector<TextPiece>& pieces) {
  std::mutex mutex;
  std::atomic<bool> fits{true};
  const std::uint8_t* const bottom = buffer_.data() + text_bytes_ + pending_bytes_;
  std::vector<std::vector<TextPiece>> placed(pieces.size());
  const auto place = [&](TextPiece& piece, const std::string& keys) {
    const std::lock_guard lock(mutex);
    if (static_cast<std::size_t>(top_ - bottom) < keys.size()) return false;
    top_ -= keys.size();
    std::memcpy(top_, keys.data(), keys.size());
    piece.keys = top_;
    return true;
  };
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) {
    std::string keys;
    TextPiece piece{pieces[i].begin, pieces[i].begin};
    while (fits && piece.end != pieces[i].end) {
      const bool is_short = append_key(piece, keys);
      if (is_short && keys.size() < kKeyBytes && piece.end != pieces[i].end) continue;
      if (!is_short || !place(piece, keys)) fits = false;
      placed[i].push_back(piece);
      piece = {piece.end, piece.end};
      keys.clear();
    }
  });
  pieces.clear();
  for (const std::vector<TextPiece>& parts : placed) pieces.insert(pieces.end(), parts.begin(), parts.end());
  return fits;
}

// Adds the next line to a piece, and its key, after its head, to `keys`. Returns false if the key is
// longer than keys may be.
bool LineText::append_key(TextPiece& piece, std::string& keys) const {
  const std::size_t end = line_end(piece.end), line_bytes = end - lines_.end_bytes() - piece.end, head = keys.size();
  keys.append(kKeyHeadBytes, '\0');
  encoder_.append(text_of(buffer_.data() + piece.end, line_bytes), keys);
  const std::uint64_t place = item_place(piece.end, line_bytes);
  const std::size_t key_bytes = keys.size() - head - kKeyHeadBytes;
  const auto bytes = static_cast<std::uint32_t>(key_bytes);
  std::memcpy(keys.data() + head, &place, sizeof place);
  std::memcpy(keys.data() + head + sizeof place, &bytes, sizeof bytes);
  piece.end = end;
  ++piece.lines;
  return key_bytes <= kMostKeyBytes;
}

}  // namespace spillway
