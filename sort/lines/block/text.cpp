#include "sort/lines/block/text.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>

#include "io/base/error.hpp"
#include "io/memory/free_pages.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStepBytes = std::size_t{32} << 20;  // text that is read, and then cut, at once
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // text of one task
// A block is full if it is to read less than this part of its text at once, but not less than a page, nor if it is to
// read this many bytes. If it seems to hold all that is left, only the page counts.
constexpr std::size_t kPartOfStep = 512, kWorthReading = std::size_t{64} << 10;
constexpr std::size_t kPageBytes = 4096;                  // whose multiples can be mapped
constexpr std::size_t kKeyBytes = std::size_t{64} << 10;  // of encoded keys that a task places at once
constexpr std::size_t kReadAfter = 8;                     // bytes that may be read after a key
constexpr std::size_t kPartOfLongLine = 8;                // the part of a long line that is read ahead, after it

std::string_view text_of(const std::uint8_t* from, std::size_t bytes) {
  return {reinterpret_cast<const char*>(from), bytes};
}

// The lengths of the lines of a text that is read piece by piece, and what their keys may take.
class LineSurvey {
 public:
  LineSurvey(LineFormat format, const KeyEncoder& encoder) : format_(format), encoder_(encoder) {}
  void add(std::string_view text) {
    while (!text.empty()) {
      const std::size_t left = format_.has_ends() ? text.find(format_.line_end) : format_.record_bytes - line_.bytes;
      const std::size_t some = std::min(left, text.size());
      line_.add(text.substr(0, some));
      text.remove_prefix(some);
      if (left != some) break;
      if (format_.has_ends()) text.remove_prefix(1);
      end_line();
    }
  }
  void end_line() {
    add({line_.bytes, encoder_.has_keys() ? encoder_.most_key_bytes(line_) : 0});
    text_bytes += line_.bytes + format_.end_bytes();
    key_bytes += longest.keys == 0 ? 0 : encoder_.most_key_bytes(line_) + kKeyHeadBytes;
    ++lines;
    line_ = {};
  }
  // A line, or the longest one of several.
  void add(const LongestLine& line) {
    longest.add(line);
    if (line.record() == top_.record()) return;
    longest_of_shorter.add(line.record() < top_.record() ? line : std::exchange(top_, line));
  }
  std::size_t lines = 0, text_bytes = 0, key_bytes = 0;
  LongestLine longest, longest_of_shorter;  // of all lines; of those that are shorter than the longest one

 private:
  LineFormat format_;
  const KeyEncoder& encoder_;
  KeyEncoder::TextCounts line_;
  LongestLine top_;
};

}  // namespace

LineText::LineText(MemoryBudget& budget, std::size_t bytes, Format format)
    : encoder_(format.encoder),
      budget_(budget),
      bytes_for_(std::move(format.bytes_for)),
      lines_(format.lines),
      has_blobs_(encoder_.has_keys() && !encoder_.is_view()),
      buffer_(budget, std::min<std::size_t>(bytes, kMostItemOffset) / kPageBytes * kPageBytes, "lines"),
      top_(buffer_.data() + buffer_.size() - kReadAfter),
      maps_inputs_(format.maps_inputs),
      costs_(format.costs) {}

std::span<std::uint8_t> LineText::free() { return {buffer_.data() + free_begin(), top_}; }

void LineText::number_lines() {
  std::size_t before = 0;
  for (TextPiece& piece : pieces_) piece.first_line = std::exchange(before, before + piece.lines);
}

// Bytes between the text and the keys that sorting does not need.
std::size_t LineText::room() const {
  const auto free = static_cast<std::size_t>(top_ - buffer_.data()) - text_bytes_ - pending_bytes_;
  const std::size_t bytes = needed(line_count_, longest_);
  return free > bytes ? free - bytes : 0;
}

// Text that fits the room, if its keys and lines are as long as those that are there. Requires: there are some.
std::size_t LineText::expected_text() const {
  return static_cast<std::size_t>(static_cast<double>(room()) / (memory_of_byte() - 1));
}

// The least bytes that are worth reading. Requires: there are lines.
std::size_t LineText::least_step(const LineSource& input) const {
  const std::optional<std::uint64_t> left = input.bytes_left();
  if (left && pending_bytes_ + *left <= expected_text()) return kPageBytes;
  return std::clamp(text_bytes_ / kPartOfStep, kPageBytes, kWorthReading);
}

// How much may be read before the rest fits the last block. If all fits this one, or it is not known, that is no limit.
std::size_t LineText::bytes_before_last(const LineSource& input) const {
  constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  // Times this block: lines that are not read may be longer than those before. A first block rather holds all.
  const double surely_more = earlier_lines_ == 0 ? 1.02 : 0.98;
  const std::optional<std::uint64_t> left = input.bytes_left();
  if (last_block_bytes_ == 0 || line_count_ == 0 || !left) return kNoLimit;
  const double each = memory_of_byte(), rest = static_cast<double>(pending_bytes_ + *left);
  const bool fits_this =
      (static_cast<double>(text_bytes_) + rest) * each < surely_more * static_cast<double>(buffer_.size());
  if (fits_this) return kNoLimit;
  const double before = rest - static_cast<double>(last_block_bytes_) / each;
  if (before <= 0) return 0;
  return std::max(kPieceBytes, static_cast<std::size_t>(before));
}

// The bytes to read next. Lines need more memory than their text. Pending text without a line end is the begin of a
// line. If that is long, little is read after it, for it may need the memory itself.
std::size_t LineText::step_bytes() const {
  std::size_t step = room() / 8;
  if (line_count_ == 0) {
    if (has_blobs_) step = std::min(step, kPieceBytes);  // what keys take is not known yet
    step = std::min(room(), std::max(step, pending_bytes_));
  } else if (has_blobs_) {
    step = std::min(step, expected_text());
  }
  if (pending_bytes_ > kPieceBytes) step = std::min(step, std::max(kPieceBytes, pending_bytes_ / kPartOfLongLine));
  return step;
}

// Moves what is pending to the begin of the memory.
void LineText::drop_lines() {
  earlier_bytes_ += text_bytes_ + key_bytes();
  earlier_lines_ += line_count_;
  earlier_longest_.add(longest_);
  std::memmove(buffer_.data(), buffer_.data() + text_bytes_, pending_bytes_);
  text_bytes_ = line_count_ = 0;
  longest_ = {};
  longest_of_usual_ = 0;
  top_ = buffer_.data() + buffer_.size() - kReadAfter;
  pieces_.clear();
}

void LineText::shrink(std::size_t bytes) {
  drop_lines();
  buffer_.shrink(bytes / kPageBytes * kPageBytes);
  top_ = buffer_.data() + buffer_.size() - kReadAfter;
}

bool LineText::fill(LineSource& input) {
  drop_lines();
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
    if (line_count_ != 0 && step < least_step(input)) break;
    if (step == 0 && grow()) continue;
    if (step == 0) refuse(input);
    const std::size_t most = std::min({step, kStepBytes, bytes_before_last(input)});
    if (most == 0) break;
    const std::size_t wanted = maps && most > kPageBytes ? most / kPageBytes * kPageBytes : most;
    const std::span<std::uint8_t> out(buffer_.data() + text_bytes_ + pending_bytes_, wanted);
    const std::size_t got = maps ? input.map_or_read(out) : input.read(out);
    pending_bytes_ += got;
    is_at_end_ = input.is_at_end();
    if (got == 0) break;
  }
  if (line_count_ == 0 && pending_bytes_ != 0) refuse(input);
  number_lines();
  // Where mapped text changes, a search for the end of a line ends here.
  if (text_bytes_ + pending_bytes_ < buffer_.size()) {
    buffer_.data()[text_bytes_ + pending_bytes_] = static_cast<std::uint8_t>(lines_.line_end);
  }
  if (maps) use_large_pages_for_lines();
  if (longest_.is_long()) drop_free_pages();
  return line_count_ != 0;
}

// Whether there is probably room for a file and what its lines need beside it. If not, its pages are copied once more.
bool LineText::fits_as_file(std::optional<std::uint64_t> bytes) const {
  return bytes && *bytes < buffer_.size() / 4 * 3;
}

// Doubles the memory, or takes what there is. Requires: all text is pending.
bool LineText::grow() {
  if (!grow_ || pending_bytes_ > kMostLineBytes) return false;
  const std::size_t copied = may_be_mapped_ ? buffer_.size() : 0;
  const std::size_t granted = grow_(2 * buffer_.size() + copied) / kPageBytes * kPageBytes;
  if (granted <= buffer_.size() + copied) return false;
  const std::size_t bytes = granted - copied;
  if (may_be_mapped_) {  // pages of files cannot move
    Buffer larger(budget_, bytes, "lines");
    std::memcpy(larger.data(), buffer_.data(), pending_bytes_);
    mapped_before_.push_back(std::move(buffer_));
    buffer_ = std::move(larger);
  } else {
    buffer_.extend(budget_.reserve(bytes - buffer_.size(), "lines"));
  }
  top_ = buffer_.data() + buffer_.size() - kReadAfter;
  return true;
}

// Lines are put at places all over this memory. (Text that is mapped has the pages of its file.) It is used once: large
// pages save 5 % of the processor time, and cost 20 % more where a hypervisor has taken them (lines of the RFCs).
// Memory of several blocks has them in any case.
void LineText::use_large_pages_for_lines() {
  static const bool kCostly = hypervisor_takes_free_pages();
  if (kCostly) return;
  const auto begin = static_cast<std::size_t>(free().data() - buffer_.data());
  buffer_.use_large_pages(begin, begin + bytes_for_(line_count_));
}

// Earlier lines may have been where nothing is now, and long lines need the memory beside the block.
void LineText::drop_free_pages() {
  const std::size_t used = used_end();
  const auto top = static_cast<std::size_t>(top_ - buffer_.data());
  if (used < top) buffer_.drop_pages(used, top);
}

void LineText::refuse(LineSource& input) {
  LineSurvey survey(lines_, encoder_);
  survey.add(earlier_longest_);
  survey.add(text_of(buffer_.data(), text_bytes_ + pending_bytes_));
  const std::span<std::uint8_t> out = buffer_.span().first(std::min(buffer_.size(), kPieceBytes));
  pending_bytes_ = 0;
  while (const std::size_t got = input.read(out)) survey.add(text_of(out.data(), got));
  check_line_bytes(survey.longest.line);
  const std::size_t keys = has_blobs_ ? survey.key_bytes : 0;
  // A shorter line that comes first keeps memory free for a run.
  const std::size_t beside = std::max(costs_.in_memory(survey.longest), costs_.to_run(survey.longest_of_shorter));
  const std::size_t whole =
      earlier_bytes_ + survey.text_bytes + keys + bytes_for_(earlier_lines_ + survey.lines) + beside;
  const std::size_t spilled = costs_.spilled(survey.longest) + bytes_for_(1);
  // The first lines are chosen block by block, so not all are in memory at once.
  const std::size_t least = costs_.has_head() ? spilled : std::min(whole + whole / 64 + kPieceBytes, spilled);
  throw LineTooLongError(survey.longest.line, least);
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
  // One line, longer than half of what is pending, or than what is expected of lines.
  const std::size_t end = line_end(text_bytes_);
  const bool is_worthwhile = !has_blobs_ || text_bytes_ == 0 || end - text_bytes_ >= kLongLine;
  return end != 0 && is_worthwhile && admit(end - text_bytes_) && admit_some();
}

// Where the line of the pending text ends that goes on at `from`; 0: not there yet.
std::size_t LineText::line_end(std::size_t from) const {
  return lines_.after_line(buffer_.data(), from, text_bytes_ + pending_bytes_);
}

// The same in text that ends a line at `last`, which is the end where none is found: mapped text may have changed.
std::size_t LineText::line_end(std::size_t from, std::size_t last) const {
  const std::size_t end = lines_.after_line(buffer_.data(), from, last);
  return end == 0 ? last : end;
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
    if (end - begin > kPieceBytes) piece_end = line_end(begin + kPieceBytes - 1, end);
    pieces.push_back({begin, piece_end});
    begin = piece_end;
  }
  return pieces;
}

// Calls take(line) for each line of `least` bytes or more. Looks at few bytes of the others.
template <typename Take>
void LineText::for_each_line_from(std::size_t least, const TextPiece& piece, const Take& take) const {
  const std::uint8_t* const text = buffer_.data();
  for (std::size_t begin = piece.begin; piece.end - begin > least;) {
    const std::size_t short_lines = lines_.after_lines(text + begin, least);
    begin += short_lines;
    if (short_lines != 0) continue;
    const std::size_t end = line_end(begin + least - 1, piece.end);
    take(text_of(text + begin, end - begin - lines_.end_bytes()));
    begin = end;
  }
}

void LineText::measure(TextPiece& piece) const {
  const std::size_t size = piece.end - piece.begin;
  piece.lines = lines_.has_ends() ? line_end_kernel().count(buffer_.data() + piece.begin, size, lines_.line_end)
                                  : size / lines_.record_bytes;
  for_each_line_from(std::min(kShortLine, least_long_line(encoder_)), piece, [&](std::string_view line) {
    const LongestLine measured = measure_long(line, encoder_);
    if (!measured.is_long()) piece.longest_of_usual = std::max(piece.longest_of_usual, line.size());
    piece.longest.add(measured);
    piece.long_keys += measured.keys;
  });
}

std::size_t LineText::most_usual_record() const {
  if (has_blobs_) return longest_of_usual_;
  return std::max(longest_of_usual_, kShortLine) * (encoder_.has_keys() ? 2 : 1);
}

bool LineText::admit(std::size_t bytes) {
  std::vector<TextPiece> pieces = cut(bytes);
  for (const TextPiece& piece : pieces) {
    if (piece.end - piece.begin > kMostLineBytes) return false;
  }
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) { measure(pieces[i]); });
  std::size_t lines = line_count_, long_keys = 0;
  LongestLine longest = longest_;
  for (const TextPiece& piece : pieces) {
    lines += piece.lines;
    longest.add(piece.longest);
    long_keys += piece.long_keys;
  }
  if (lines > std::numeric_limits<std::uint32_t>::max()) return false;
  if (longest.is_long()) map_large_memory();
  const std::size_t bottom = text_bytes_ + pending_bytes_ + needed(lines, longest);
  const auto free = [&] { return static_cast<std::size_t>(top_ - buffer_.data()); };
  if (bottom + (has_blobs_ ? long_keys : 0) > free()) return false;
  if (has_blobs_) {
    std::uint8_t* const top_before = top_;
    if (!place_keys(pieces) || free() < bottom) {
      top_ = top_before;
      return false;
    }
  }
  pieces_.insert(pieces_.end(), pieces.begin(), pieces.end());
  for (const TextPiece& piece : pieces) longest_of_usual_ = std::max(longest_of_usual_, piece.longest_of_usual);
  line_count_ = lines;
  longest_ = longest;
  text_bytes_ += bytes;
  pending_bytes_ -= bytes;
  return true;
}

// Encodes the keys of each piece and copies them to the top of the free memory; pieces whose keys are many become
// several. Keys of long lines are encoded one at a time. Returns false if they do not fit.
bool LineText::place_keys(std::vector<TextPiece>& pieces) {
  std::mutex mutex, long_mutex;
  std::atomic<bool> fits{true};
  const std::uint8_t* const bottom = buffer_.data() + text_bytes_ + pending_bytes_;
  std::vector<std::vector<TextPiece>> placed(pieces.size());
  const auto place = [&](std::size_t i, TextPiece& piece, std::string& keys) {
    const std::lock_guard lock(mutex);
    if (static_cast<std::size_t>(top_ - bottom) < keys.size()) {
      fits = false;
      return;
    }
    top_ -= keys.size();
    std::memcpy(top_, keys.data(), keys.size());
    piece.keys = top_;
    placed[i].push_back(piece);
    piece = {piece.end, piece.end};
    keys.clear();
  };
  const auto place_long = [&](std::size_t i, TextPiece& piece, std::size_t end, std::size_t key_bytes) {
    const std::lock_guard lock(long_mutex);
    std::string keys;
    keys.reserve(kKeyHeadBytes + key_bytes);
    append_key(piece, end, keys);
    place(i, piece, keys);
  };
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) {
    std::string keys;
    TextPiece piece{pieces[i].begin, pieces[i].begin};
    // It takes as many lines as were counted, though mapped text may have changed.
    for (std::size_t left = pieces[i].lines; fits && left != 0; --left) {
      const std::size_t end = left == 1 ? pieces[i].end : line_end(piece.end, pieces[i].end);
      const std::size_t line_bytes = line_bytes_before(piece.end, end);
      const LongestLine measured = measure_long(text_of(buffer_.data() + piece.end, line_bytes), encoder_);
      const bool is_long = measured.is_long();
      if (piece.lines != 0 && (is_long || keys.size() >= kKeyBytes)) place(i, piece, keys);
      if (is_long) place_long(i, piece, end, measured.keys);
      if (is_long) continue;
      const std::size_t before = keys.size();
      append_key(piece, end, keys);
      piece.longest_of_usual = std::max(piece.longest_of_usual, line_bytes + keys.size() - before);
    }
    if (fits && piece.lines != 0) place(i, piece, keys);
  });
  pieces.clear();
  for (const std::vector<TextPiece>& parts : placed) pieces.insert(pieces.end(), parts.begin(), parts.end());
  return fits;
}

// Returns the bytes of a line without its end, which may be missing where mapped text has changed.
std::size_t LineText::line_bytes_before(std::size_t begin, std::size_t end) const {
  return end == begin ? 0 : end - begin - lines_.end_bytes();
}

// Adds the next line, which ends at `end`, to a piece, and its key, after its head, to `keys`.
void LineText::append_key(TextPiece& piece, std::size_t end, std::string& keys) const {
  const std::size_t line_bytes = line_bytes_before(piece.end, end), head = keys.size();
  keys.append(kKeyHeadBytes, '\0');
  encoder_.append(text_of(buffer_.data() + piece.end, line_bytes), keys);
  const std::uint64_t place = item_place(piece.end, line_bytes);
  const std::size_t key_bytes = keys.size() - head - kKeyHeadBytes;
  check_key_bytes(key_bytes);
  const auto bytes = static_cast<std::uint32_t>(key_bytes);
  std::memcpy(keys.data() + head, &place, sizeof place);
  std::memcpy(keys.data() + head + sizeof place, &bytes, sizeof bytes);
  piece.end = end;
  ++piece.lines;
}

}  // namespace spillway
