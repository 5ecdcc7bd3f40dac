#include "corpora/warc/framer.hpp"

#include <algorithm>
#include <limits>

namespace spillway {

namespace {

constexpr std::uint64_t kNoMost = std::numeric_limits<std::uint64_t>::max();
// A length is corrected if it is wrong by as much.
constexpr std::uint64_t kToleratedBytes = 2;
// After more line ends nothing else can belong to a record.
constexpr std::uint64_t kMostLineEnds = 64;

std::size_t count_leading_line_ends(std::string_view bytes) {
  return std::min(bytes.find_first_not_of("\r\n"), bytes.size());
}

std::size_t count_trailing_line_ends(std::string_view bytes) {
  const std::size_t last = bytes.find_last_not_of("\r\n");
  return last == std::string_view::npos ? bytes.size() : bytes.size() - 1 - last;
}

std::optional<WarcKind> kind_of(std::string_view start) {
  for (const WarcKind kind : {WarcKind::kArc, WarcKind::kWarc}) {
    if (is_record_start(kind, start)) return kind;
  }
  return std::nullopt;
}

}  // namespace

std::optional<WarcPiece> WarcFramer::next() {
  taken_ = line_ends_ = 0;
  drop_line_ends();
  if (input_.peek(1).empty()) return std::nullopt;
  if (!at_record()) {
    if (auto junk = skip_junk()) return junk;
    if (input_.peek(1).empty()) return std::nullopt;
  }
  after_fault_ = false;
  return read_record();
}

std::optional<WarcPiece> WarcFramer::frame_alone(std::string_view bytes, std::string_view next) {
  if (after_fault_ || !kind_ || !is_record_start(*kind_, bytes) || !is_record_start(*kind_, next)) return std::nullopt;
  reader_.reset();
  const std::size_t header_bytes = reader_.feed(bytes);
  if (reader_.state() != FieldReader::State::kDone || !header().has_length) return std::nullopt;
  if (header().length > bytes.size() - header_bytes) return std::nullopt;
  taken_ = header_bytes + header().length;
  const std::string_view line_ends = bytes.substr(static_cast<std::size_t>(taken_));
  if (line_ends.size() >= kMostLineEnds || count_leading_line_ends(line_ends) != line_ends.size()) return std::nullopt;
  return piece(Kind::kRecord);
}

bool WarcFramer::at_record() {
  if (!kind_) kind_ = kind_of(input_.peek(warc_start_bytes(WarcKind::kArc)));
  return kind_ && is_record_start(*kind_, input_.peek(warc_start_bytes(*kind_)));
}

void WarcFramer::drop_line_ends() {
  for (;;) {
    const std::string_view bytes = input_.peek(1);
    const std::size_t count = count_leading_line_ends(bytes);
    input_.drop(count);
    if (bytes.empty() || count < bytes.size()) return;
  }
}

// Takes what ends a block, up to kMostLineEnds bytes, so that it can be given back. Returns how many lines end there.
std::uint64_t WarcFramer::take_line_ends() {
  std::uint64_t ended = 0;
  for (std::size_t left = kMostLineEnds; left > 0;) {
    const std::string_view bytes = input_.peek(1).substr(0, left);
    const std::string_view line_ends = bytes.substr(0, count_leading_line_ends(bytes));
    ended += static_cast<std::uint64_t>(std::count(line_ends.begin(), line_ends.end(), '\n'));
    left -= line_ends.size();
    const bool is_last = line_ends.size() < bytes.size() || bytes.empty();
    if (!line_ends.empty()) take(line_ends);
    if (is_last) break;
  }
  return ended;
}

// As find_record_start(). The first record that is found decides about the kind of a file whose start is damaged.
std::size_t WarcFramer::find_start(std::string_view bytes, std::size_t last) {
  if (kind_) return find_record_start(*kind_, bytes, last);
  const std::size_t arc = find_record_start(WarcKind::kArc, bytes, last);
  const std::size_t warc = find_record_start(WarcKind::kWarc, bytes, last);
  const std::size_t found = std::min(arc, warc);
  if (found < bytes.size()) kind_ = arc < warc ? WarcKind::kArc : WarcKind::kWarc;
  return found;
}

// Returns nullopt if the junk does not count.
std::optional<WarcPiece> WarcFramer::skip_junk() {
  const std::size_t start = warc_start_bytes(kind_.value_or(WarcKind::kArc));
  WarcPiece junk{Kind::kJunk, 0, 0};
  for (bool searching = true; searching;) {
    const std::string_view bytes = input_.peek(2 * start);
    if (bytes.empty()) break;
    const bool is_last = bytes.size() < 2 * start;
    const std::size_t last = is_last ? bytes.size() - 1 : bytes.size() - start;
    const std::size_t found = find_start(bytes, last);
    searching = found == bytes.size();
    const std::size_t count = !searching || is_last ? found : last;
    junk.block_bytes += count;
    input_.drop(count);
  }
  if (after_fault_) return std::nullopt;
  return junk;
}

WarcPiece WarcFramer::piece(Kind kind) const {
  const std::uint64_t header = std::min(reader_.header().header_bytes, taken_);
  return {kind, header, taken_ - header};
}

void WarcFramer::take(std::string_view bytes) {
  const std::size_t line_ends = count_trailing_line_ends(bytes);
  line_ends_ = line_ends == bytes.size() ? line_ends_ + line_ends : line_ends;
  taken_ += bytes.size();
  input_.take(bytes.size());
}

// Takes up to `most` bytes, but none from where a record may begin. Returns whether it stopped there.
bool WarcFramer::take_to_record(std::uint64_t most) {
  const std::size_t start = warc_start_bytes(*kind_);
  while (most > 0) {
    const std::string_view bytes = input_.peek(2 * start);
    if (bytes.empty()) return false;
    const bool is_last = bytes.size() < 2 * start;
    const std::size_t last = is_last ? bytes.size() - 1 : bytes.size() - start;
    const std::size_t found = find_record_start(*kind_, bytes, last);
    const bool is_found = found < bytes.size();
    const std::size_t count = is_found || is_last ? found : last;
    if (is_found && found < most) {
      take(bytes.substr(0, found));
      return true;
    }
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(most, count));
    take(bytes.substr(0, step));
    most -= step;
  }
  return false;
}

// Gives the bytes from `kept` on back, and ends the piece where the next record may begin.
WarcPiece WarcFramer::recover(Kind kind, std::uint64_t kept) {
  if (input_.give_back(kept)) taken_ = kept;
  line_ends_ = 0;
  take_to_record(kNoMost);
  return piece(kind);
}

WarcPiece WarcFramer::read_record() {
  reader_.reset();
  while (reader_.state() == FieldReader::State::kOpen) {
    const std::string_view bytes = input_.peek(1);
    if (bytes.empty()) return recover(Kind::kCut, std::min<std::uint64_t>(1, taken_));
    take(bytes.substr(0, reader_.feed(bytes)));
  }
  if (reader_.state() == FieldReader::State::kBad) return recover(Kind::kBadHeader, 1);
  if (header().has_length) return read_block();
  take_to_record(kNoMost);
  return piece(Kind::kNoLength);
}

WarcPiece WarcFramer::read_block() {
  const std::uint64_t header_bytes = taken_;
  for (std::uint64_t left = header().length; left > 0;) {
    const std::size_t count = input_.take_some(left);
    if (count == 0) {  // the record is cut, or its length is wrong
      if (input_.give_back(header_bytes)) taken_ = header_bytes;
      return piece(take_to_record(kNoMost) ? Kind::kWrongLength : Kind::kCut);
    }
    taken_ += count;
    left -= count;
    if (!input_.holds_piece()) {  // its length cannot be checked later
      take_to_record(kNoMost);
      return piece(Kind::kTooLong);
    }
  }
  const WarcPiece whole = piece(Kind::kRecord);
  const std::uint64_t block_end = taken_, line_ends = take_line_ends();
  if (taken_ - block_end == kMostLineEnds || input_.peek(1).empty()) return whole;
  if (!at_record()) return check_end(line_ends);
  return *kind_ == WarcKind::kArc && taken_ == block_end ? check_start_of_next(whole) : whole;
}

// The next line of an ARC is right after the block, which may end too late: "tp://a.example" begins with a scheme, too.
WarcPiece WarcFramer::check_start_of_next(const WarcPiece& whole) {
  const std::uint64_t length = header().length;
  if (!input_.give_back(whole.header_bytes)) return whole;
  taken_ = whole.header_bytes;
  if (!take_to_record(length)) return whole;
  return piece(whole.header_bytes + length - taken_ <= kToleratedBytes ? Kind::kCorrected : Kind::kWrongLength);
}

// What follows the block and `line_ends` is no record: either the length is wrong, or junk follows.
WarcPiece WarcFramer::check_end(std::uint64_t line_ends) {
  const std::uint64_t header_bytes = header().header_bytes, length = header().length;
  if (!input_.give_back(header_bytes)) return recover(Kind::kWrongLength, taken_);
  taken_ = header_bytes;
  if (take_to_record(length)) {
    return piece(header_bytes + length - taken_ <= kToleratedBytes ? Kind::kCorrected : Kind::kWrongLength);
  }
  const std::uint64_t usual_line_ends = *kind_ == WarcKind::kWarc ? 2 : 1;
  if (line_ends >= usual_line_ends) return piece(Kind::kRecord);
  line_ends_ = 0;
  take_to_record(kNoMost);
  const std::uint64_t end = taken_ - line_ends_;
  if (end > header_bytes + length + kToleratedBytes) return piece(Kind::kWrongLength);
  WarcPiece corrected = piece(Kind::kCorrected);
  corrected.block_bytes = std::max(end - header_bytes, length);
  return corrected;
}

}  // namespace spillway
