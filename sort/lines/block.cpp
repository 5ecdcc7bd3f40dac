#include "sort/lines/block.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"
#include "sort/interface/scratch.hpp"
#include "sort/lines/item_sorter.hpp"
#include "sort/lines/padded_copy.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStepBytes = std::size_t{32} << 20;  // text that is read, and then cut, at once
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;  // text of one task
constexpr std::size_t kKeyBytes = std::size_t{64} << 10;   // of encoded keys that a task places at once
constexpr std::size_t kLeastSplit = 8192;                  // lines that are worth splitting
constexpr std::size_t kLinesPerSample = 512, kMostSample = 16384, kSampleOfLeaf = 8;
constexpr std::size_t kRangesOfThread = 4;  // of pieces, for each of which lines are counted by leaves
constexpr std::size_t kPartLines = 4096, kPartBytes = std::size_t{256} << 10;  // least of a part
constexpr std::size_t kLargeLeaf = 65536;                     // least lines that all threads sort together
constexpr std::size_t kSampledBytes = std::size_t{16} << 10;  // most of a line that is found by a place in it
constexpr std::size_t kItemsOfTask = 16384;
// Lengths of lines, of keys, and of records, which hold both, have 32 bits.
constexpr std::size_t kMostLineBytes = std::size_t{1} << 30;
constexpr std::size_t kReadAfter = 8;  // bytes that may be read after a string
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

ItemStrings::Kind kind_of(const KeyEncoder& encoder) {
  if (!encoder.has_keys()) return ItemStrings::Kind::kLines;
  return encoder.is_view() ? ItemStrings::Kind::kViews : ItemStrings::Kind::kEncoded;
}

std::size_t thread_count() { return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()); }

template <typename Body>
void for_each_index(std::size_t count, const Body& body) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kItemsOfTask), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
  });
}

}  // namespace

LineBlock::LineBlock(MemoryBudget& budget, std::size_t bytes, const LineOrder& order, const KeyEncoder& encoder,
                     const StringSorter* sorter)
    : line_order_(order),
      encoder_(encoder),
      sorter_(sorter),
      budget_(budget),
      is_descending_(order.is_descending()),
      has_blobs_(encoder.has_keys() && !encoder.is_view()),
      buffer_(budget, std::min<std::size_t>(bytes, kMostItemOffset) / 4096 * 4096, "lines"),
      top_(buffer_.data() + buffer_.size() - kReadAfter),
      strings_(kind_of(encoder), buffer_.data(), order.line_end, encoder),
      texts_(ItemStrings::Kind::kLines, buffer_.data(), order.line_end, encoder) {}

std::size_t LineBlock::bytes_for(std::size_t lines) const {
  std::size_t bytes = lines * (sizeof(LineItem) + sizeof(std::uint16_t)) + 8 * kScratchAlignment + kCopyPadding;
  if (sorter_ != nullptr) {
    bytes += lines * (sizeof(LineItem) + sizeof(StringRef) + sizeof(std::uint32_t)) + sorter_->scratch_bytes(lines);
  }
  return bytes;
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
  top_ = buffer_.data() + buffer_.size() - kReadAfter;
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
  top_ = buffer_.data() + buffer_.size() - kReadAfter;
  return true;
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

// Adds the next line to a piece, and its key, after its head, to `keys`. Returns false if the key is
// longer than keys may be.
bool LineBlock::append_key(Piece& piece, std::string& keys) const {
  const std::size_t end = line_end(piece.end), line_bytes = end - 1 - piece.end, head = keys.size();
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

// Calls take(item, bytes of the line and its end) for each line of a piece. Caches are not set.
template <typename Take>
void LineBlock::for_each_item(const Piece& piece, const Take& take) const {
  const std::uint8_t *const text = buffer_.data(), *from = text + piece.begin, *key = piece.keys;
  for_each_line_end(from, text + piece.end, line_order_.line_end, [&](const std::uint8_t* end) {
    const auto offset = static_cast<std::uint64_t>(from - text), bytes = static_cast<std::uint64_t>(end - from);
    if (has_blobs_) {
      const auto key_bytes = load_le<std::uint32_t>(key + sizeof(std::uint64_t));
      key += kKeyHeadBytes;
      take(LineItem{0, item_place(static_cast<std::uint64_t>(key - text), key_bytes)}, bytes + 1);
      key += key_bytes;
    } else if (has_keys()) {
      const std::string_view found = encoder_.view(text_of(from, bytes));
      const auto* const begin = reinterpret_cast<const std::uint8_t*>(found.data());
      take(LineItem{0, item_place(static_cast<std::uint64_t>(begin - text), found.size())}, bytes + 1);
    } else {
      take(LineItem{0, item_place(offset, bytes)}, bytes + 1);
    }
    from = end + 1;
  });
}

// Calls take(items, bytes of their lines, number of the first one) for each few lines of some pieces.
template <typename Take>
void LineBlock::for_each_batch(std::span<const Piece> pieces, const Take& take) const {
  std::array<LineItem, SplitterTree::kBatch> items;
  std::array<std::uint64_t, SplitterTree::kBatch> bytes;
  for (const Piece& piece : pieces) {
    std::size_t count = 0, first = piece.first_line;
    const auto hand_on = [&] {
      take(std::span(items).first(count), std::span(bytes).first(count), first);
      first += std::exchange(count, 0);
    };
    for_each_item(piece, [&](const LineItem& item, std::uint64_t line_bytes) {
      items[count] = item;
      bytes[count] = line_bytes;
      if (++count == items.size()) hand_on();
    });
    hand_on();
  }
}

void LineBlock::place_items() {
  std::uint8_t* at = buffer_.data() + round_to_scratch_alignment(text_bytes_ + pending_bytes_ + kCopyPadding);
  items_ = take<LineItem>(at, line_count_);
  leaves_ = take<std::uint16_t>(at, line_count_);
  strings_ = ItemStrings(kind_of(encoder_), buffer_.data(), line_order_.line_end, encoder_);
  texts_ = ItemStrings(ItemStrings::Kind::kLines, buffer_.data(), line_order_.line_end, encoder_);
  std::size_t before = 0;
  for (Piece& piece : pieces_) piece.first_line = std::exchange(before, before + piece.lines);
  find_long_strings();
}

// Only pieces that are long have long lines.
void LineBlock::find_long_strings() {
  long_strings_.clear();
  long_lines_.clear();
  for (const Piece& piece : pieces_) {
    if (piece.end - piece.begin <= kManyBytes) continue;
    for_each_item(piece, [&](const LineItem& item, std::uint64_t line_bytes) {
      const LineItem line = strings_.line(item);
      const auto note = [](const ItemStrings& strings, const LineItem& noted, std::vector<LongString>& to) {
        if ((noted.place & kManyBytes) == kManyBytes) to.push_back({noted.place >> kBytesBits, strings.bytes(noted)});
      };
      if (line_bytes <= kManyBytes) return;
      note(strings_, item, long_strings_);
      note(texts_, line, long_lines_);
    });
  }
  std::ranges::sort(long_strings_, {}, &LongString::offset);
  strings_.know(long_strings_);
  texts_.know(long_lines_);
}

void LineBlock::arrange() {
  place_items();
  parts_.clear();
  text_order_ = find_text_order();
  if (text_order_ != TextOrder::kNone) {
    add_text_parts();
  } else if (sorter_ != nullptr) {
    sort_by_sorter();
  } else {
    split();
  }
  if (is_descending_) std::ranges::reverse(parts_);
}

// Whether a line may stand before the next one as they are.
bool LineBlock::ascends(const LineItem& a, const LineItem& b) const {
  const int difference = strings_.view(a).compare(strings_.view(b));
  if (difference != 0) return difference < 0;
  if (drops_lines()) return false;
  return !line_order_.breaks_ties() || texts_.view(strings_.line(a)) <= texts_.view(strings_.line(b));
}

// Whether the lines ascend, or strictly descend; pieces are not looked at after one that does neither.
LineBlock::TextOrder LineBlock::find_text_order() const {
  std::atomic<bool> all_ascend{true}, all_descend{true};
  std::vector<LineItem> first(pieces_.size()), last(pieces_.size());
  const auto compare = [&](const LineItem& a, const LineItem& b) {
    if (all_ascend && !ascends(a, b)) all_ascend = false;
    if (all_descend && strings_.view(a).compare(strings_.view(b)) <= 0) all_descend = false;
    return all_ascend || all_descend;
  };
  tbb::parallel_for(std::size_t{0}, pieces_.size(), [&](std::size_t i) {
    if (!all_ascend && !all_descend) return;
    bool is_first = true, goes_on = true;
    for_each_item(pieces_[i], [&](const LineItem& item, std::uint64_t) {
      if (!goes_on) return;
      if (is_first) first[i] = item;
      if (!std::exchange(is_first, false)) goes_on = compare(last[i], item);
      last[i] = item;
    });
  });
  for (std::size_t i = 1; i < pieces_.size() && (all_ascend || all_descend); ++i) compare(last[i - 1], first[i]);
  if (all_ascend) return TextOrder::kAscends;
  return all_descend ? TextOrder::kDescends : TextOrder::kNone;
}

void LineBlock::add_text_parts() {
  for (std::size_t i = 0; i != pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const std::size_t begin =
        text_order_ == TextOrder::kAscends ? piece.first_line : line_count_ - piece.first_line - piece.lines;
    parts_.push_back({begin, begin + piece.lines, piece.end - piece.begin, Part::Work::kTakeFromText, i, i});
  }
  if (text_order_ == TextOrder::kDescends) std::ranges::reverse(parts_);
}

void LineBlock::take_from_text(const Part& part) {
  std::size_t at = text_order_ == TextOrder::kAscends ? part.begin : part.end - 1;
  for_each_item(pieces_[part.first], [&](const LineItem& item, std::uint64_t) {
    items_[at] = strings_.line(item);
    text_order_ == TextOrder::kAscends ? ++at : --at;
  });
}

// The line after the one that a random place is in, about `count` times; fewer if many lines are long.
std::vector<LineItem> LineBlock::sample_places(std::size_t count) const {
  std::vector<LineItem> sample;
  std::uint64_t state = line_count_;
  const auto end_near = [&](std::size_t from) {
    const std::size_t bytes = std::min(kSampledBytes, text_bytes_ - from);
    const void* const end = std::memchr(buffer_.data() + from, line_order_.line_end, bytes);
    return end == nullptr ? 0 : static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - buffer_.data()) + 1;
  };
  for (std::size_t i = 0; i != count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
    const std::size_t begin = end_near(static_cast<std::size_t>((state >> 11) % text_bytes_));
    if (begin == 0) continue;
    const std::size_t from = begin == text_bytes_ ? 0 : begin, end = end_near(from);
    if (end == 0) continue;
    for_each_item({from, end}, [&](const LineItem& item, std::uint64_t) { sample.push_back(item); });
  }
  return sample;
}

std::vector<LineItem> LineBlock::sample_lines(std::size_t count) const {
  const std::size_t step = line_count_ / count;
  tbb::enumerable_thread_specific<std::vector<LineItem>> found;
  tbb::parallel_for(std::size_t{0}, pieces_.size(), [&](std::size_t i) {
    std::size_t line = pieces_[i].first_line;
    std::vector<LineItem>& own = found.local();
    for_each_item(pieces_[i], [&](const LineItem& item, std::uint64_t) {
      if (line++ % step == 0) own.push_back(item);
    });
  });
  std::vector<LineItem> sample;
  for (const auto& own : found) sample.insert(sample.end(), own.begin(), own.end());
  return sample;
}

// Encoded keys have places of their own, and are found by going through all lines.
std::vector<LineItem> LineBlock::take_sample(std::size_t count) const {
  if (has_blobs_) return sample_lines(count);
  std::vector<LineItem> sample = sample_places(count);
  return sample.size() > count / 4 ? sample : sample_lines(count);
}

// Moves the lines to the leaves of a tree of splitters: one pass over the text counts the lines of each leaf, and
// another one puts them there.
void LineBlock::split() {
  const std::size_t sample = line_count_ < kLeastSplit ? 1 : std::min(line_count_ / kLinesPerSample, kMostSample);
  const SplitterTree tree(strings_, take_sample(sample), kSampleOfLeaf);
  const std::span<const std::uint32_t> depths = tree.leaf_depths();
  const std::size_t ranges = std::min(pieces_.size(), kRangesOfThread * thread_count());
  const auto pieces_of = [&](std::size_t range) {
    const std::size_t begin = pieces_.size() * range / ranges, end = pieces_.size() * (range + 1) / ranges;
    return std::span<const Piece>(pieces_).subspan(begin, end - begin);
  };
  std::vector<std::uint32_t> counts(ranges * depths.size());
  tbb::enumerable_thread_specific<std::vector<std::uint64_t>> bytes(
      [&] { return std::vector<std::uint64_t>(depths.size()); });
  tbb::parallel_for(std::size_t{0}, ranges, [&](std::size_t range) {
    std::uint32_t* const own_counts = counts.data() + range * depths.size();
    std::uint64_t* const own_bytes = bytes.local().data();
    for_each_batch(pieces_of(range),
                   [&](std::span<const LineItem> items, std::span<const std::uint64_t> line_bytes, std::size_t first) {
                     std::uint16_t* const leaves = leaves_.data() + first;
                     tree.classify(items, leaves);
                     for (std::size_t i = 0; i != items.size(); ++i) {
                       ++own_counts[leaves[i]];
                       own_bytes[leaves[i]] += line_bytes[i];
                     }
                   });
  });
  leaves_of_items_.clear();
  std::size_t before = 0;
  for (std::size_t leaf = 0; leaf != depths.size(); ++leaf) {
    Leaf added{before, before, depths[leaf]};
    for (std::size_t range = 0; range != ranges; ++range) {
      std::uint32_t& count = counts[range * depths.size() + leaf];
      added.end += std::exchange(count, static_cast<std::uint32_t>(added.end));
    }
    for (const auto& own : bytes) added.bytes += own[leaf];
    before = added.end;
    leaves_of_items_.push_back(added);
  }
  tbb::parallel_for(std::size_t{0}, ranges, [&](std::size_t range) {
    std::uint32_t* const next = counts.data() + range * depths.size();
    for_each_batch(pieces_of(range),
                   [&](std::span<const LineItem> items, std::span<const std::uint64_t>, std::size_t first) {
                     for (std::size_t i = 0; i != items.size(); ++i) {
                       const std::uint16_t leaf = leaves_[first + i];
                       items_[next[leaf]++] = {strings_.load(items[i], depths[leaf]), items[i].place};
                     }
                   });
  });
  add_leaf_parts();
}

// Makes parts of several small leaves. All threads sort a large one, which becomes several parts.
void LineBlock::add_leaf_parts() {
  const std::size_t large = std::max(kLargeLeaf, line_count_ / (8 * thread_count()));
  bool is_open = false;
  for (std::size_t i = 0; i != leaves_of_items_.size(); ++i) {
    const Leaf& leaf = leaves_of_items_[i];
    const std::size_t lines = leaf.end - leaf.begin;
    if (lines == 0) continue;
    if (lines > large) {
      sort_items_parallel(strings_, items_.subspan(leaf.begin, lines), leaf.depth);
      add_sorted_parts(leaf.begin, leaf.end);
      is_open = false;
      continue;
    }
    if (!is_open) parts_.push_back({leaf.begin, leaf.begin, 0, Part::Work::kSort, i, i});
    Part& part = parts_.back();
    part.end = leaf.end;
    part.last = i + 1;
    part.bytes += leaf.bytes;
    is_open = part.end - part.begin < kPartLines && part.bytes < kPartBytes;
  }
}

// Strings that are equal stay in one part if more is to be done with them.
void LineBlock::add_sorted_parts(std::size_t begin, std::size_t end) {
  const auto may_cut = [&](std::size_t at) {
    if (!has_keys() && !drops_lines()) return true;
    return strings_.view(items_[at - 1]) != strings_.view(items_[at]);
  };
  const std::size_t first = parts_.size();
  while (begin != end) {
    std::size_t part_end = std::min(end, begin + kPartLines);
    while (part_end != end && !may_cut(part_end)) ++part_end;
    parts_.push_back({begin, part_end});
    begin = part_end;
  }
  tbb::parallel_for(first, parts_.size(), [&](std::size_t i) {
    Part& part = parts_[i];
    for (const LineItem& item : items_.subspan(part.begin, part.end - part.begin)) {
      part.bytes += texts_.bytes(strings_.line(item)) + std::uint64_t{1};
    }
  });
}

void LineBlock::sort_by_sorter() {
  std::uint8_t* at = reinterpret_cast<std::uint8_t*>(leaves_.data());
  const auto references = take<StringRef>(at, line_count_);
  const auto sorted = take<LineItem>(at, line_count_);
  const auto order = take<std::uint32_t>(at, line_count_);
  tbb::parallel_for(std::size_t{0}, pieces_.size(), [&](std::size_t i) {
    std::size_t line = pieces_[i].first_line;
    for_each_item(pieces_[i], [&](const LineItem& item, std::uint64_t) {
      items_[line] = item;
      references[line++] = {strings_.data(item), strings_.bytes(item), 0};
    });
  });
  sorter_->sort(references, order, {}, {at, static_cast<std::size_t>(top_ - at)});
  for_each_index(line_count_, [&](std::size_t i) { sorted[i] = items_[order[i]]; });
  for_each_index(line_count_, [&](std::size_t i) { items_[i] = sorted[i]; });
  add_sorted_parts(0, line_count_);
}

void LineBlock::sort_part(std::size_t number) {
  Part& part = parts_[number];
  if (part.work == Part::Work::kTakeFromText) return take_from_text(part);
  if (part.work == Part::Work::kSort) {
    ItemSorter sorter(strings_);
    for (std::size_t i = part.first; i != part.last; ++i) {
      const Leaf& leaf = leaves_of_items_[i];
      sorter.sort(items_.subspan(leaf.begin, leaf.end - leaf.begin), leaf.depth);
    }
  }
  if (has_keys() || drops_lines()) take_lines(part);
}

// Replaces keys by their lines, orders those with equal keys, or keeps the first one of them.
void LineBlock::take_lines(Part& part) {
  std::size_t kept = part.begin;
  std::uint64_t bytes = 0;
  for (std::size_t begin = part.begin; begin != part.end;) {
    std::size_t end = begin + 1;
    const std::string_view first = strings_.view(items_[begin]);
    while (end != part.end && strings_.view(items_[end]) == first) ++end;
    const std::span<LineItem> equal = items_.subspan(begin, end - begin);
    for (LineItem& item : equal) item = strings_.line(item);
    if (drops_lines()) {
      items_[kept] = *std::ranges::min_element(equal, {}, &LineItem::place);
      bytes += texts_.bytes(items_[kept++]) + std::uint64_t{1};
    } else {
      if (equal.size() > 1) order_equal(equal);
    }
    begin = end;
  }
  if (!drops_lines()) return;
  part.end = kept;
  part.bytes = bytes;
}

void LineBlock::order_equal(std::span<LineItem> items) const {
  if (!line_order_.breaks_ties()) {
    const auto comes_before = [](const LineItem& a, const LineItem& b) { return a.place < b.place; };
    if (items.size() > kLargeLeaf) {
      tbb::parallel_sort(items.begin(), items.end(), comes_before);
    } else {
      std::ranges::sort(items, comes_before);
    }
    return;
  }
  for (LineItem& item : items) item.cache = texts_.load(item, 0);
  if (items.size() > kLargeLeaf) return sort_items_parallel(texts_, items, 0);
  ItemSorter(texts_).sort(items, 0);
}

}  // namespace spillway
