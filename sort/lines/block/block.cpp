#include "sort/lines/block/block.hpp"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "sort/interface/scratch.hpp"
#include "sort/lines/block/changed_text.hpp"
#include "sort/lines/block/item_sorter.hpp"
#include "sort/lines/block/leaf_finder.hpp"
#include "sort/lines/block/padded_copy.hpp"

namespace spillway {

namespace {

static_assert(LineText::kBatch <= SplitterTree::kBatch);
constexpr std::size_t kLeastSplit = 8192;  // lines that are worth splitting
constexpr std::size_t kLinesPerSample = 256, kMostSample = 16384;
constexpr std::size_t kRangesOfThread = 4;  // a range of pieces counts its lines by leaves
constexpr std::size_t kPartLines = 4096, kPartBytes = std::size_t{256} << 10;  // least of a part
constexpr std::size_t kLargeLeaf = 65536;                     // least lines that all threads sort together
constexpr std::size_t kSampledBytes = std::size_t{16} << 10;  // most of a line that is found by a place in it
constexpr std::size_t kItemsOfTask = 16384;
constexpr std::size_t kAhead = 16;         // items from which keys are loaded early
constexpr std::size_t kLoadedLines = 256;  // that are loaded before the first one is used
constexpr std::ptrdiff_t kAroundKey = 32;  // bytes between a key and a place before or after it that is loaded

template <typename T>
std::span<T> take(std::uint8_t*& at, std::size_t count) {
  const std::span<T> taken(reinterpret_cast<T*>(at), count);
  at += round_to_scratch_alignment(count * sizeof(T));
  return taken;
}

ItemStrings::Kind kind_of(const KeyEncoder& encoder) {
  if (!encoder.has_keys()) return ItemStrings::Kind::kLines;
  return encoder.is_view() ? ItemStrings::Kind::kViews : ItemStrings::Kind::kEncoded;
}

std::size_t thread_count() { return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()); }

// Calls body(first, last) for ranges of indexes.
template <typename Body>
void for_each_range(std::size_t count, const Body& body) {
  if (count <= kItemsOfTask) return body(0, count);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, kItemsOfTask),
                    [&](const auto& range) { body(range.begin(), range.end()); });
}

template <typename Body>
void for_each_index(std::size_t count, const Body& body) {
  for_each_range(count, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i != last; ++i) body(i);
  });
}

}  // namespace

LineBlock::LineBlock(MemoryBudget& budget, std::size_t bytes, const LineOrder& order, const KeyEncoder& encoder,
                     const StringSorter* sorter, bool maps_inputs, std::optional<LongLineCosts> costs)
    : line_order_(order),
      encoder_(encoder),
      sorter_(sorter),
      is_descending_(order.is_descending()),
      text_(budget, bytes,
            {order.format, encoder, [this](std::size_t lines) { return bytes_for(lines); }, maps_inputs,
             costs.value_or(LongLineCosts(encoder))}),
      strings_(kind_of(encoder), text_.data(), order.format, encoder),
      texts_(ItemStrings::Kind::kLines, text_.data(), order.format, encoder) {}

std::size_t LineBlock::bytes_for(std::size_t lines) const {
  std::size_t bytes = lines * (sizeof(LineItem) + sizeof(std::uint16_t)) + 8 * kScratchAlignment + kCopyPadding;
  if (sorter_ != nullptr) {
    bytes += lines * (sizeof(LineItem) + sizeof(StringRef) + sizeof(std::uint32_t)) + sorter_->scratch_bytes(lines);
  }
  return bytes;
}

void LineBlock::place_items() {
  std::uint8_t* at = text_.free().data();
  items_ = take<LineItem>(at, text_.lines());
  leaves_ = take<std::uint16_t>(at, text_.lines());
  strings_ = ItemStrings(kind_of(encoder_), text_.data(), line_order_.format, encoder_);
  texts_ = ItemStrings(ItemStrings::Kind::kLines, text_.data(), line_order_.format, encoder_);
  find_long_strings();
}

// Only pieces that are long have long lines.
void LineBlock::find_long_strings() {
  long_strings_.clear();
  long_lines_.clear();
  for (const TextPiece& piece : text_.pieces()) {
    if (piece.end - piece.begin <= kManyBytes) continue;
    text_.for_each_item(piece, [&](const LineItem& item, std::uint64_t line_bytes) {
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
  const std::size_t most_line_bytes = std::max(text_.longest().line, kLongLine);
  strings_.know(long_strings_, most_line_bytes);
  texts_.know(long_lines_, most_line_bytes);
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
  const int difference = strings_.compare(a, b, 0);
  if (difference != 0) return difference < 0;
  if (drops_lines()) return false;
  return !line_order_.breaks_ties() || texts_.view(strings_.line(a)) <= texts_.view(strings_.line(b));
}

// Whether the lines ascend, or strictly descend; pieces are not looked at after one that does neither.
LineBlock::TextOrder LineBlock::find_text_order() const {
  const std::span<const TextPiece> pieces = text_.pieces();
  std::atomic<bool> all_ascend{true}, all_descend{true};
  std::vector<LineItem> first(pieces.size()), last(pieces.size());
  const auto compare = [&](const LineItem& a, const LineItem& b) {
    if (all_ascend && !ascends(a, b)) all_ascend = false;
    if (all_descend && strings_.compare(a, b, 0) <= 0) all_descend = false;
    return all_ascend || all_descend;
  };
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) {
    if (!all_ascend && !all_descend) return;
    bool is_first = true, goes_on = true;
    text_.for_each_item(pieces[i], [&](const LineItem& item, std::uint64_t) {
      if (!goes_on) return;
      if (is_first) first[i] = item;
      if (!std::exchange(is_first, false)) goes_on = compare(last[i], item);
      last[i] = item;
    });
  });
  for (std::size_t i = 1; i < pieces.size() && (all_ascend || all_descend); ++i) compare(last[i - 1], first[i]);
  if (all_ascend) return TextOrder::kAscends;
  return all_descend ? TextOrder::kDescends : TextOrder::kNone;
}

void LineBlock::add_text_parts() {
  const std::span<const TextPiece> pieces = text_.pieces();
  for (std::size_t i = 0; i != pieces.size(); ++i) {
    const TextPiece& piece = pieces[i];
    const std::size_t begin =
        text_order_ == TextOrder::kAscends ? piece.first_line : text_.lines() - piece.first_line - piece.lines;
    parts_.push_back({begin, begin + piece.lines, piece.end - piece.begin, Part::Work::kTakeFromText, i, i});
  }
  if (text_order_ == TextOrder::kDescends) std::ranges::reverse(parts_);
}

void LineBlock::take_from_text(const Part& part) {
  std::size_t at = text_order_ == TextOrder::kAscends ? part.begin : part.end - 1;
  text_.for_each_item(text_.pieces()[part.first], [&](const LineItem& item, std::uint64_t) {
    items_[at] = strings_.line(item);
    text_order_ == TextOrder::kAscends ? ++at : --at;
  });
}

// The line after the one that a random place is in, about `count` times; fewer if many lines are long.
std::vector<LineItem> LineBlock::sample_places(std::size_t count) const {
  const std::span<const std::uint8_t> text = text_.text();
  std::vector<LineItem> sample;
  std::uint64_t state = text_.lines();
  const auto end_near = [&](std::size_t from) {
    return line_order_.format.after_line(text.data(), from, std::min(text.size(), from + kSampledBytes));
  };
  for (std::size_t i = 0; i != count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
    const std::size_t begin = end_near(static_cast<std::size_t>((state >> 11) % text.size()));
    if (begin == 0) continue;
    const std::size_t from = begin == text.size() ? 0 : begin, end = end_near(from);
    if (end == 0) continue;
    text_.for_each_item({from, end, 1}, [&](const LineItem& item, std::uint64_t) { sample.push_back(item); });
  }
  return sample;
}

std::vector<LineItem> LineBlock::sample_lines(std::size_t count) const {
  const std::span<const TextPiece> pieces = text_.pieces();
  const std::size_t step = text_.lines() / count;
  tbb::enumerable_thread_specific<std::vector<LineItem>> found;
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) {
    std::size_t line = pieces[i].first_line;
    std::vector<LineItem>& own = found.local();
    text_.for_each_item(pieces[i], [&](const LineItem& item, std::uint64_t) {
      if (line++ % step == 0) own.push_back(item);
    });
  });
  std::vector<LineItem> sample;
  for (const auto& own : found) sample.insert(sample.end(), own.begin(), own.end());
  return sample;
}

// Encoded keys have places of their own, and are found by going through all lines.
std::vector<LineItem> LineBlock::take_sample(std::size_t count) const {
  if (strings_.kind() == ItemStrings::Kind::kEncoded) return sample_lines(count);
  std::vector<LineItem> sample = sample_places(count);
  return sample.size() > count / 4 ? sample : sample_lines(count);
}

// Moves the lines to the leaves of a tree of splitters: one pass over the text counts the lines of each leaf, and
// another one puts them there.
void LineBlock::split() {
  const std::span<const TextPiece> pieces = text_.pieces();
  const std::size_t sample = text_.lines() < kLeastSplit ? 1 : std::min(text_.lines() / kLinesPerSample, kMostSample);
  const LeafFinder finder(strings_, texts_, take_sample(sample), line_order_.breaks_ties());
  const std::span<const LeafFinder::Leaf> leaves = finder.leaves();
  const std::size_t ranges = std::min(pieces.size(), kRangesOfThread * thread_count());
  const auto pieces_of = [&](std::size_t range) {
    const std::size_t begin = pieces.size() * range / ranges, end = pieces.size() * (range + 1) / ranges;
    return pieces.subspan(begin, end - begin);
  };
  std::vector<std::uint32_t> counts(ranges * leaves.size());
  tbb::enumerable_thread_specific<std::vector<std::uint64_t>> bytes(
      [&] { return std::vector<std::uint64_t>(leaves.size()); });
  tbb::parallel_for(std::size_t{0}, ranges, [&](std::size_t range) {
    std::uint32_t* const own_counts = counts.data() + range * leaves.size();
    std::uint64_t* const own_bytes = bytes.local().data();
    text_.for_each_batch(pieces_of(range), [&](const LineBatch& batch) {
      std::uint16_t* const found = leaves_.data() + batch.first;
      finder.classify(batch, found);
      for (std::size_t i = 0; i != batch.items.size(); ++i) {
        ++own_counts[found[i]];
        own_bytes[found[i]] += batch.line_bytes[i];
      }
    });
  });
  struct Target {
    std::uint32_t depth, equal_bytes;  // equal_bytes: of each line, if step is 0
    bool has_lines;
    std::uint8_t step;  // 0 if all lines of the leaf are equal: those of a range take one place
  };
  std::vector<Target> targets;
  targets.reserve(leaves.size());
  leaves_of_items_.clear();
  std::size_t before = 0;
  for (std::size_t leaf = 0; leaf != leaves.size(); ++leaf) {
    Leaf added{before, before, leaves[leaf].depth, leaves[leaf].has_lines};
    for (std::size_t range = 0; range != ranges; ++range) {
      std::uint32_t& count = counts[range * leaves.size() + leaf];
      added.end += std::exchange(count, static_cast<std::uint32_t>(added.end));
    }
    for (const auto& own : bytes) added.bytes += own[leaf];
    before = added.end;
    const std::size_t lines = added.end - added.begin;
    std::uint32_t equal_bytes = 0;
    if (const auto least = leaves[leaf].least_equal_bytes; least && lines >= kPartLines) {
      equal_bytes = format().has_ends() ? *least : format().record_bytes;
      added.is_one_line = added.bytes == lines * (equal_bytes + format().end_bytes());
    }
    leaves_of_items_.push_back(added);
    const auto step = static_cast<std::uint8_t>(added.is_one_line ? 0 : 1);
    targets.push_back({added.depth, equal_bytes, added.has_lines, step});
  }
  std::atomic<bool> has_changed = false;
  tbb::parallel_for(std::size_t{0}, ranges, [&](std::size_t range) {
    std::uint32_t* const next = counts.data() + range * leaves.size();
    std::uint32_t differing = 0;
    const auto put = [&](const ItemStrings& strings, const LineItem& item, std::uint16_t leaf) {
      const Target& target = targets[leaf];
      items_[next[leaf]] = {strings.load(item, target.depth), item.place};
      next[leaf] += target.step;
      differing |= ((static_cast<std::uint32_t>(item.place) & kManyBytes) ^ target.equal_bytes) & (target.step - 1U);
    };
    text_.for_each_batch(pieces_of(range), [&](const LineBatch& batch) {
      const std::uint16_t* const found = leaves_.data() + batch.first;
      if (!finder.has_line_leaves()) {
        for (std::size_t i = 0; i != batch.items.size(); ++i) put(strings_, batch.items[i], found[i]);
        return;
      }
      batch.for_each_line([&](std::size_t i, const LineItem& line) {
        if (targets[found[i]].has_lines) {
          put(texts_, line, found[i]);
        } else {
          put(strings_, batch.items[i], found[i]);
        }
      });
    });
    if (differing != 0) has_changed = true;
  });
  if (has_changed) refuse_changed_text();
  add_leaf_parts();
}

// Makes parts of several small leaves. All threads sort a large one, which becomes several parts.
void LineBlock::add_leaf_parts() {
  const std::size_t large = std::max(kLargeLeaf, text_.lines() / (8 * thread_count()));
  bool is_open = false;
  for (std::size_t i = 0; i != leaves_of_items_.size(); ++i) {
    const Leaf& leaf = leaves_of_items_[i];
    const std::size_t lines = leaf.end - leaf.begin;
    const Part::Work work = leaf.has_lines ? Part::Work::kSortLines : Part::Work::kSort;
    if (lines == 0) continue;
    if (leaf.is_one_line) {
      add_repeated_parts(leaf);
      is_open = false;
      continue;
    }
    if (lines > large) {
      sort_items_parallel(leaf.has_lines ? texts_ : strings_, items_.subspan(leaf.begin, lines), leaf.depth);
      add_sorted_parts(leaf.begin, leaf.end, leaf.has_lines);
      is_open = false;
      continue;
    }
    if (!is_open || parts_.back().work != work) parts_.push_back({leaf.begin, leaf.begin, 0, work, i, i});
    Part& part = parts_.back();
    part.end = leaf.end;
    part.last = i + 1;
    part.bytes += leaf.bytes;
    is_open = part.end - part.begin < kPartLines && part.bytes < kPartBytes;
  }
}

void LineBlock::add_repeated_parts(const Leaf& leaf) {
  const std::uint64_t line_bytes = leaf.bytes / (leaf.end - leaf.begin);
  const std::size_t end = drops_lines() ? leaf.begin + 1 : leaf.end;
  const auto most = std::max<std::size_t>(kPartLines, kPartBytes / line_bytes);
  for (std::size_t begin = leaf.begin; begin != end;) {
    const std::size_t part_end = std::min(end, begin + most);
    parts_.push_back({begin, part_end, (part_end - begin) * line_bytes, Part::Work::kNone, leaf.begin, 0, true});
    begin = part_end;
  }
}

// Strings that are equal stay in one part if more is to be done with them; if they are many, that is done at once.
void LineBlock::add_sorted_parts(std::size_t begin, std::size_t end, bool has_lines) {
  const bool may_cut_anywhere = has_lines || (!has_keys() && !drops_lines());
  const Part::Work left = has_lines ? Part::Work::kNone : Part::Work::kSorted;
  const std::size_t first = parts_.size();
  while (begin != end) {
    std::size_t part_end = std::min(end, begin + kPartLines);
    if (!may_cut_anywhere) part_end = end_of_equal(items_[part_end - 1], part_end, end);
    if (part_end - begin > kLargeLeaf && !drops_lines()) {
      Part large{begin, part_end};
      take_lines(large);
      for (; begin != part_end; begin = parts_.back().end) {
        parts_.push_back({begin, std::min(part_end, begin + kPartLines), 0, Part::Work::kNone});
      }
      continue;
    }
    parts_.push_back({begin, part_end, 0, left});
    begin = part_end;
  }
  tbb::parallel_for(first, parts_.size(), [&](std::size_t i) {
    Part& part = parts_[i];
    const bool is_line = part.work == Part::Work::kNone;
    for (const LineItem& item : items_.subspan(part.begin, part.end - part.begin)) {
      part.bytes += texts_.bytes(is_line ? item : strings_.line(item)) + format().end_bytes();
    }
  });
}

void LineBlock::sort_by_sorter() {
  const std::span<const TextPiece> pieces = text_.pieces();
  std::uint8_t* at = reinterpret_cast<std::uint8_t*>(leaves_.data());
  const auto references = take<StringRef>(at, text_.lines());
  const auto sorted = take<LineItem>(at, text_.lines());
  const auto order = take<std::uint32_t>(at, text_.lines());
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t i) {
    std::size_t line = pieces[i].first_line;
    text_.for_each_item(pieces[i], [&](const LineItem& item, std::uint64_t) {
      items_[line] = item;
      references[line++] = {strings_.data(item), strings_.bytes(item), 0};
    });
  });
  sorter_->sort(references, order, {}, {at, static_cast<std::size_t>(text_.free().data() + text_.free().size() - at)});
  for_each_index(text_.lines(), [&](std::size_t i) { sorted[i] = items_[order[i]]; });
  for_each_index(text_.lines(), [&](std::size_t i) { items_[i] = sorted[i]; });
  add_sorted_parts(0, text_.lines(), false);
}

// Brings the texts of a part's lines into the processor's cache, many at once: sorting meets them one after the other.
void LineBlock::load_texts(const Part& part) const {
  for (const LineItem& item : items_.subspan(part.begin, part.end - part.begin)) load_line_early(item);
}

void LineBlock::sort_part(std::size_t number) {
  Part& part = parts_[number];
  const Part::Work work = std::exchange(part.work, Part::Work::kNone);
  if (work == Part::Work::kNone) return;
  if (work == Part::Work::kTakeFromText) return take_from_text(part);
  if (work == Part::Work::kSort || work == Part::Work::kSortLines) {
    load_texts(part);
    ItemSorter sorter(work == Part::Work::kSortLines ? texts_ : strings_);
    for (std::size_t i = part.first; i != part.last; ++i) {
      const Leaf& leaf = leaves_of_items_[i];
      sorter.sort(items_.subspan(leaf.begin, leaf.end - leaf.begin), leaf.depth);
    }
    if (work == Part::Work::kSortLines) return;
  }
  if (has_keys() || drops_lines()) take_lines(part);
}

// Where the strings that equal that of `item` end, which are the first ones of items [from, end). They may be many.
std::size_t LineBlock::end_of_equal(const LineItem& item, std::size_t from, std::size_t end) const {
  const auto is_equal = [&](const LineItem& other) { return strings_.are_equal(item, other); };
  for (std::size_t step = 1; from != end; step *= 2) {
    const std::size_t probed = std::min(step, end - from);
    if (!is_equal(items_[from + probed - 1])) {
      const auto unknown = items_.subspan(from, probed - 1);
      return from + static_cast<std::size_t>(std::ranges::partition_point(unknown, is_equal) - unknown.begin());
    }
    from += probed;
  }
  return end;
}

// Replaces equal keys by their lines, whose caches are set if they are to be sorted. Many lines are far from each
// other, and loaded early.
void LineBlock::find_lines(std::span<LineItem> items) const {
  while (!items.empty()) {
    const auto some = items.first(std::min(items.size(), kLoadedLines));
    for (const LineItem& item : some) {
      const std::uint8_t* const key = strings_.data(item);
      if (strings_.kind() == ItemStrings::Kind::kEncoded) {
        spillway::load_early(key - kKeyHeadBytes);
      } else {
        spillway::load_early(key - std::min(key - text_.data(), kAroundKey));
        spillway::load_early(key + kAroundKey);
        spillway::load_early(key + 3 * kAroundKey);
      }
    }
    for (LineItem& item : some) item = strings_.line(item);
    if (line_order_.breaks_ties()) {
      for (const LineItem& item : some) spillway::load_early(texts_.data(item));
      for (LineItem& item : some) item.cache = texts_.load(item, 0);
    }
    items = items.subspan(some.size());
  }
}

// Replaces keys by their lines, orders those with equal keys, or keeps the first one of them.
void LineBlock::take_lines(Part& part) {
  std::size_t kept = part.begin;
  std::uint64_t bytes = 0;
  for (std::size_t begin = part.begin; begin != part.end;) {
    __builtin_prefetch(strings_.data(items_[std::min(begin + kAhead, part.end - 1)]));
    std::size_t end = begin + 1;
    if (end != part.end && strings_.are_equal(items_[begin], items_[end])) {
      end = end_of_equal(items_[begin], end + 1, part.end);
    }
    const std::span<LineItem> equal = items_.subspan(begin, end - begin);
    if (has_keys() && equal.size() == 1) {
      equal.front() = strings_.line(equal.front());
    } else if (has_keys()) {
      for_each_range(equal.size(),
                     [&](std::size_t first, std::size_t last) { find_lines(equal.subspan(first, last - first)); });
    }
    if (drops_lines()) {
      items_[kept] = *std::ranges::min_element(equal, {}, &LineItem::place);
      bytes += texts_.bytes(items_[kept++]) + format().end_bytes();
    } else {
      if (equal.size() > 1) order_equal(equal);
    }
    begin = end;
  }
  if (!drops_lines()) return;
  part.end = kept;
  part.bytes = bytes;
}

std::uint64_t LineBlock::bytes_of_parts() const {
  std::uint64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.bytes;
  return bytes;
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
  if (items.size() > kLargeLeaf) return sort_items_parallel(texts_, items, 0);
  ItemSorter(texts_).sort(items, 0);
}

}  // namespace spillway
