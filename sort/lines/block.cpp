#include "sort/lines/block.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"
#include "sort/interface/scratch.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStepBytes = std::size_t{32} << 20;  // text that is read, and then cut, at once
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // text of one task
constexpr std::size_t kKeyBytes = std::size_t{64} << 10;   // of encoded keys that a task places at once
constexpr std::size_t kLargeTie = 8192;                    // lines with equal keys that all threads sort together
constexpr std::size_t kPositions = 16384;                  // lines of one task
// Lengths of lines, of keys, and of records, which hold both, have 32 bits.
constexpr std::size_t kMostLineBytes = std::size_t{1} << 30;
constexpr std::size_t kMostKeyBytes = std::numeric_limits<std::uint32_t>::max() - kMostLineBytes;

std::size_t count_bytes(const std::uint8_t* from, std::size_t bytes, std::uint8_t byte) {
  std::size_t count = 0;
  // Sums of 255 comparisons fit a byte, which lets the compiler use vectors of bytes.
  while (bytes != 0) {
    const std::size_t part = std::min<std::size_t>(bytes, 255 * 64);
    std::uint16_t sum = 0;
    for (std::size_t i = 0; i < part; ++i) sum = static_cast<std::uint16_t>(sum + (from[i] == byte ? 1 : 0));
    count += sum;
    from += part;
    bytes -= part;
  }
  return count;
}

template <typename T>
std::span<T> take(std::uint8_t*& at, std::size_t count) {
  const std::span<T> taken(reinterpret_cast<T*>(at), count);
  at += round_to_scratch_alignment(count * sizeof(T));
  return taken;
}

std::string_view text_of(const std::uint8_t* from, std::size_t bytes) {
  return {reinterpret_cast<const char*>(from), bytes};
}

}  // namespace

LineBlock::LineBlock(MemoryBudget& budget, std::size_t bytes, const LineOrder& order, const KeyEncoder& encoder,
                     const StringSorter& sorter)
    : line_order_(order),
      encoder_(encoder),
      sorter_(sorter),
      budget_(budget),
      is_descending_(order.is_descending()),
      has_blobs_(encoder.has_keys() && !encoder.is_view()),
      buffer_(budget, bytes / 4096 * 4096, "lines"),
      top_(buffer_.data() + buffer_.size()) {
  buffer_.use_large_pages();
}

std::size_t LineBlock::bytes_for(std::size_t lines) const {
  std::size_t bytes = lines * (sizeof(StringRef) + sizeof(std::uint32_t)) + lines / 8 + sorter_.scratch_bytes(lines);
  if (encoder_.has_keys()) bytes += lines * (sizeof(StringRef) + sizeof(std::uint32_t));
  return bytes + 8 * kScratchAlignment;
}

// Bytes between the text and the keys that sorting does not need.
std::size_t LineBlock::room() const {
  const auto free = static_cast<std::size_t>(top_ - buffer_.data()) - text_bytes_ - pending_bytes_;
  const std::size_t needed = bytes_for(line_count_);
  return free > needed ? free - needed : 0;
}

// Text that fits the room, if its keys and lines are as long as those that are there. Requires: there are some.
std::size_t LineBlock::expected_text() const {
  const double each = static_cast<double>(key_bytes() + bytes_for(line_count_)) / static_cast<double>(text_bytes_);
  return static_cast<std::size_t>(static_cast<double>(room()) / each);
}

// The bytes to read next. Lines need more memory than their text. Pending text without a line end is the begin of a
// line; while that is all, each read may be as long as what there is of it.
std::size_t LineBlock::step_bytes() const {
  const std::size_t quarter = room() / 4;
  if (line_count_ != 0) return has_blobs_ ? std::min(quarter, expected_text()) : quarter;
  const std::size_t first = has_blobs_ ? std::min(quarter, kPieceBytes) : quarter;  // what keys take is not known yet
  return std::min(room(), std::max(first, pending_bytes_));
}

bool LineBlock::fill(LineInput& input) {
  std::memmove(buffer_.data(), buffer_.data() + text_bytes_, pending_bytes_);
  text_bytes_ = line_count_ = 0;
  top_ = buffer_.data() + buffer_.size();
  pieces_.clear();
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
    const std::size_t wanted = std::min(step, kStepBytes);
    const std::size_t got = input.read({buffer_.data() + text_bytes_ + pending_bytes_, wanted});
    pending_bytes_ += got;
    is_at_end_ = got < wanted;
    if (got == 0) break;
  }
  if (line_count_ == 0 && pending_bytes_ != 0) refuse_line();
  return line_count_ != 0;
}

// Doubles the memory. Requires: all text is pending.
bool LineBlock::grow() {
  if (!grow_ || pending_bytes_ > kMostLineBytes || !grow_(2 * buffer_.size())) return false;
  Buffer larger(budget_, 2 * buffer_.size(), "lines");
  std::memcpy(larger.data(), buffer_.data(), pending_bytes_);
  buffer_ = std::move(larger);
  top_ = buffer_.data() + buffer_.size();
  return true;
}

std::size_t LineBlock::record_bytes() const {
  if (!has_blobs_) return encoder_.has_keys() ? 2 * text_bytes_ : text_bytes_;  // a part of the line at most
  return text_bytes_ + key_bytes();
}

void LineBlock::refuse_line() const {
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
bool LineBlock::admit_some() {
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
std::size_t LineBlock::line_end(std::size_t from) const {
  const void* const end = std::memchr(buffer_.data() + from, line_order_.line_end, text_bytes_ + pending_bytes_ - from);
  if (end == nullptr) return 0;
  return static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - buffer_.data()) + 1;
}

// Where the last whole line in the first `bytes` of the pending text ends.
std::size_t LineBlock::lines_end(std::size_t bytes) const {
  const void* const end = ::memrchr(buffer_.data() + text_bytes_, line_order_.line_end, bytes);
  if (end == nullptr) return 0;
  return static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - buffer_.data()) - text_bytes_ + 1;
}

// Cuts the next `bytes` of text, whole lines, into pieces at line ends.
std::vector<LineBlock::Piece> LineBlock::cut(std::size_t bytes) const {
  std::vector<Piece> pieces;
  const std::size_t end = text_bytes_ + bytes;
  for (std::size_t begin = text_bytes_; begin != end;) {
    std::size_t piece_end = end;
    if (end - begin > kPieceBytes) piece_end = line_end(begin + kPieceBytes - 1);
    pieces.push_back({begin, piece_end});
    begin = piece_end;
  }
  return pieces;
}

bool LineBlock::admit(std::size_t bytes) {
  std::vector<Piece> pieces = cut(bytes);
  for (const Piece& piece : pieces) {
    if (piece.end - piece.begin > kMostLineBytes) return false;
  }
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) {
    Piece& piece = pieces[i];
    piece.lines = count_bytes(buffer_.data() + piece.begin, piece.end - piece.begin,
                              static_cast<std::uint8_t>(line_order_.line_end));
  });
  std::size_t lines = line_count_;
  for (const Piece& piece : pieces) lines += piece.lines;
  if (lines > std::numeric_limits<std::uint32_t>::max()) return false;
  const auto fits = [&] {
    const auto free = static_cast<std::size_t>(top_ - buffer_.data());
    return text_bytes_ + pending_bytes_ + bytes_for(lines) <= free;
  };
  if (!fits()) return false;
  if (has_blobs_) {
    std::uint8_t* const top_before = top_;
    const std::size_t needed = text_bytes_ + pending_bytes_ + bytes_for(lines);
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
bool LineBlock::place_keys(std::vector<Piece>& pieces) {
  std::mutex mutex;
  std::atomic<bool> fits{true};
  const std::uint8_t* const bottom = buffer_.data() + text_bytes_ + pending_bytes_;
  std::vector<std::vector<Piece>> placed(pieces.size());
  const auto place = [&](Piece& piece, const std::string& keys) {
    const std::lock_guard lock(mutex);
    if (static_cast<std::size_t>(top_ - bottom) < keys.size()) return false;
    top_ -= keys.size();
    std::memcpy(top_, keys.data(), keys.size());
    piece.keys = top_;
    return true;
  };
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) {
    std::string keys;
    Piece piece{pieces[i].begin, pieces[i].begin};
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
  for (const std::vector<Piece>& parts : placed) pieces.insert(pieces.end(), parts.begin(), parts.end());
  return fits;
}

// Adds the next line to a piece, and its key, after the bytes of its length, to `keys`. Returns false if the key is
// longer than keys may be.
bool LineBlock::append_key(Piece& piece, std::string& keys) const {
  const std::size_t end = line_end(piece.end), head = keys.size();
  keys.append(sizeof(std::uint32_t), '\0');
  encoder_.append(text_of(buffer_.data() + piece.end, end - 1 - piece.end), keys);
  piece.end = end;
  ++piece.lines;
  const std::size_t key_bytes = keys.size() - head - sizeof(std::uint32_t);
  const auto bytes = static_cast<std::uint32_t>(key_bytes);
  std::memcpy(keys.data() + head, &bytes, sizeof bytes);
  return key_bytes <= kMostKeyBytes;
}

void LineBlock::make_references() {
  std::uint8_t* at = buffer_.data() + round_to_scratch_alignment(text_bytes_ + pending_bytes_);
  lines_ = take<StringRef>(at, line_count_);
  if (encoder_.has_keys()) {
    keys_ = take<StringRef>(at, line_count_);
    spare_order_ = take<std::uint32_t>(at, line_count_);
  }
  order_ = take<std::uint32_t>(at, line_count_);
  marks_ = take<std::uint64_t>(at, (line_count_ + 63) / 64);
  scratch_ = {at, static_cast<std::size_t>(top_ - at)};
  longest_line_ = 0;
  std::mutex mutex;
  std::vector<std::size_t> first(pieces_.size());
  std::size_t before = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    first[i] = before;
    before += pieces_[i].lines;
  }
  tbb::parallel_for(std::size_t{0}, pieces_.size(), [&](std::size_t i) {
    const Piece& piece = pieces_[i];
    const std::uint8_t* from = buffer_.data() + piece.begin;
    const std::uint8_t* const end = buffer_.data() + piece.end;
    const std::uint8_t* key = piece.keys;
    std::uint32_t longest = 0;
    for (std::size_t line = first[i]; from != end; ++line) {
      const auto* const line_end = static_cast<const std::uint8_t*>(
          std::memchr(from, line_order_.line_end, static_cast<std::size_t>(end - from)));
      const auto bytes = static_cast<std::uint32_t>(line_end - from);
      lines_[line] = {from, bytes, 0};
      longest = std::max(longest, bytes);
      if (has_blobs_) {
        std::uint32_t key_bytes;
        std::memcpy(&key_bytes, key, sizeof key_bytes);
        keys_[line] = {key + sizeof key_bytes, key_bytes, 0};
        key += sizeof key_bytes + key_bytes;
      } else if (encoder_.has_keys()) {
        const std::string_view found = encoder_.view(text_of(from, bytes));
        keys_[line] = {reinterpret_cast<const std::uint8_t*>(found.data()), static_cast<std::uint32_t>(found.size()),
                       0};
      }
      from = line_end + 1;
    }
    const std::lock_guard lock(mutex);
    longest_line_ = std::max<std::size_t>(longest_line_, longest);
  });
}

// Orders strings that ascend or strictly descend already; each task stops at the first that does neither.
bool LineBlock::find_order(std::span<const StringRef> strings) {
  std::atomic<bool> ascends{true}, descends{true};
  tbb::parallel_for(tbb::blocked_range<std::size_t>(1, std::max<std::size_t>(strings.size(), 1), kPositions),
                    [&](const auto& range) {
                      for (std::size_t i = range.begin(); i != range.end() && (ascends || descends); ++i) {
                        const int difference = strings[i - 1].view().compare(strings[i].view());
                        if (difference > 0) ascends = false;
                        if (difference <= 0) descends = false;
                      }
                    });
  if (!ascends && !descends) return false;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, order_.size(), kPositions), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      order_[i] = static_cast<std::uint32_t>(ascends ? i : order_.size() - 1 - i);
    }
  });
  is_in_order_ = ascends;
  return true;
}

void LineBlock::sort() {
  make_references();
  const std::span<const StringRef> strings = encoder_.has_keys() ? keys_ : lines_;
  is_in_order_ = false;
  if (!find_order(strings)) sorter_.sort(strings, order_, {}, scratch_);
  if (line_order_.is_unique) {
    mark_equal(strings);
    drop_marked();
  } else if (line_order_.breaks_ties()) {
    mark_equal(strings);
    break_ties();
    is_in_order_ = false;
  }
}

// Marks the places of the order whose strings equal those before them.
void LineBlock::mark_equal(std::span<const StringRef> strings) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, marks_.size(), 64), [&](const auto& range) {
    for (std::size_t word = range.begin(); word != range.end(); ++word) {
      std::uint64_t bits = 0;
      for (std::size_t i = word * 64; i < std::min(order_.size(), word * 64 + 64); ++i) {
        if (i + 16 < order_.size()) __builtin_prefetch(&strings[order_[i + 16]]);
        if (i + 8 < order_.size()) __builtin_prefetch(strings[order_[i + 8]].data);
        if (i == 0) continue;
        const StringRef &a = strings[order_[i - 1]], &b = strings[order_[i]];
        const bool are_equal = a.bytes == b.bytes && std::memcmp(a.data, b.data, a.bytes) == 0;
        bits |= std::uint64_t{are_equal} << (i % 64);
      }
      marks_[word] = bits;
    }
  });
}

void LineBlock::drop_marked() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (!is_marked(i)) order_[kept++] = order_[i];
  }
  order_ = order_.first(kept);
}

void LineBlock::break_ties() {
  std::mutex mutex;
  std::vector<std::pair<std::size_t, std::size_t>> large;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, order_.size(), kPositions), [&](const auto& range) {
    for (std::size_t i = range.begin(); i < range.end();) {
      if (is_marked(i)) {  // of a tie that begins before
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      while (end < order_.size() && is_marked(end)) ++end;
      if (end - i >= kLargeTie) {
        const std::lock_guard lock(mutex);
        large.emplace_back(i, end);
      } else if (end - i > 1) {
        break_tie(i, end);
      }
      i = end;
    }
  });
  for (const auto& [begin, end] : large) break_large_tie(begin, end, scratch_);
}

void LineBlock::break_tie(std::size_t begin, std::size_t end) {
  std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin), order_.begin() + static_cast<std::ptrdiff_t>(end),
            [this](std::uint32_t a, std::uint32_t b) { return lines_[a].view() < lines_[b].view(); });
}

// The keys are not needed any more, so their places hold the lines of the tie.
void LineBlock::break_large_tie(std::size_t begin, std::size_t end, std::span<std::uint8_t> scratch) {
  const std::span<StringRef> tied = keys_.subspan(begin, end - begin);
  for (std::size_t i = 0; i < tied.size(); ++i) {
    tied[i] = lines_[order_[begin + i]];
    tied[i].payload = order_[begin + i];
  }
  const std::span<std::uint32_t> result = spare_order_.subspan(begin, tied.size());
  sorter_.sort(tied, result, {}, scratch);
  for (std::size_t i = 0; i < tied.size(); ++i) order_[begin + i] = tied[result[i]].payload;
}

}  // namespace spillway
