#include "sort/lines/block/item_sorter.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>
#include <random>

#include "sort/lines/block/leaf_finder.hpp"
#include "sort/lines/block/padded_copy.hpp"
#include "sort/lines/block/splitter_tree.hpp"

namespace spillway {
namespace {

using Lines = std::vector<std::string>;

Lines random_lines(std::size_t count, const std::string& letters, std::size_t most_bytes, unsigned seed) {
  std::mt19937 random(seed);
  Lines lines(count);
  for (std::string& line : lines) {
    for (std::size_t bytes = random() % (most_bytes + 1); bytes != 0; --bytes)
      line += letters[random() % letters.size()];
  }
  return lines;
}

Lines with_prefix(Lines lines, const std::string& prefix) {
  for (std::string& line : lines) line = prefix + line;
  return lines;
}

// Sets that are hard in one way or another.
struct Set {
  const char* name;
  Lines lines;
};

std::vector<Set> sets() {
  const std::string zeros(2, '\0');
  Lines nested;
  for (std::size_t i = 0; i < 3000; ++i) nested.push_back(std::string(i % 300, 'a'));
  Lines ends;
  for (std::size_t i = 0; i < 1500; ++i) ends.push_back(std::string(8 * i, 'a'));
  for (std::size_t i = 0; i < 1500; ++i) ends.push_back(std::string(8 * 1500, 'a') + std::to_string(i * 7919 % 1500));
  Lines mixed = random_lines(20'000, "ab", 40, 5);
  const Lines more = with_prefix(random_lines(20'000, "ab" + zeros, 20, 6), std::string(100, 'p'));
  mixed.insert(mixed.end(), more.begin(), more.end());
  mixed.insert(mixed.end(), 20'000, "");
  mixed.insert(mixed.end(), 20'000, "the same line, many times");
  std::ranges::shuffle(mixed, std::mt19937(7));
  return {{"none", {}},
          {"one", {"a"}},
          {"bytes", random_lines(40'000, "abcdefgh\x01\x7f\x80\xff", 12, 1)},
          {"zeros", random_lines(40'000, "a" + zeros, 24, 2)},
          {"equal", Lines(40'000, "equal")},
          {"empty", Lines(40'000)},
          {"prefix", with_prefix(random_lines(40'000, "ab", 30, 3), std::string(3000, 'x'))},
          {"nested", nested},
          {"nested, each end in a cache of its own", ends},
          {"mixed", mixed}};
}

// Lines as a text, with all that may be read after it.
class Text {
 public:
  explicit Text(const Lines& lines) {
    for (const std::string& line : lines) {
      items_.push_back({0, item_place(text_.size(), line.size())});
      text_ += line + '\n';
    }
    text_.append(kCopyPadding, '#');
  }
  ItemStrings strings() const {
    return {ItemStrings::Kind::kLines, reinterpret_cast<const std::uint8_t*>(text_.data()), '\n', encoder_};
  }
  std::vector<LineItem> items() const {
    std::vector<LineItem> items = items_;
    for (LineItem& item : items) item.cache = strings().load(item, 0);
    return items;
  }

 private:
  std::string text_;
  std::vector<LineItem> items_;
  LineOrder order_;
  KeyEncoder encoder_{order_};
};

Lines lines_of(const ItemStrings& strings, const std::vector<LineItem>& items) {
  Lines lines;
  for (const LineItem& item : items) lines.emplace_back(strings.view(item));
  return lines;
}

TEST(ItemSorterTest, OrdersByBytes) {
  for (Set& set : sets()) {
    SCOPED_TRACE(set.name);
    const Text text(set.lines);
    std::vector<LineItem> items = text.items();
    const ItemStrings strings = text.strings();
    ItemSorter(strings).sort(items, 0);
    std::ranges::sort(set.lines);
    EXPECT_EQ(lines_of(strings, items), set.lines);
  }
}

TEST(ItemSorterTest, OrdersByBytesInParallel) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4);
  for (Set& set : sets()) {
    SCOPED_TRACE(set.name);
    const Text text(set.lines);
    std::vector<LineItem> items = text.items();
    const ItemStrings strings = text.strings();
    arena.execute([&] { sort_items_parallel(strings, items, 0); });
    std::ranges::sort(set.lines);
    EXPECT_EQ(lines_of(strings, items), set.lines);
  }
}

// These inputs make a quicksort slow that chooses its pivots by place.
TEST(ItemSorterTest, TakesSortedReversedAndPeriodicItems) {
  for (const char* order : {"ascending", "descending", "organ pipe", "period"}) {
    SCOPED_TRACE(order);
    Lines lines;
    for (std::size_t i = 0; i < 100'000; ++i) {
      const std::size_t value = order[0] == 'a'   ? i
                                : order[0] == 'd' ? 100'000 - i
                                : order[0] == 'o' ? std::min(i, 100'000 - i)
                                                  : i % 1000;
      std::string line = std::to_string(value);
      lines.push_back(std::string(6 - line.size(), '0') + line);
    }
    const Text text(lines);
    std::vector<LineItem> items = text.items();
    const ItemStrings strings = text.strings();
    ItemSorter(strings).sort(items, 0);
    EXPECT_TRUE(std::ranges::is_sorted(lines_of(strings, items)));
  }
}

TEST(SplitterTreeTest, PutsStringsIntoLeavesInOrder) {
  for (const Set& set : sets()) {
    if (set.lines.empty()) continue;
    SCOPED_TRACE(set.name);
    const Text text(set.lines);
    const std::vector<LineItem> items = text.items();
    const ItemStrings strings = text.strings();
    std::vector<LineItem> sample;
    for (std::size_t i = 0; i < items.size(); i += 16) sample.push_back(items[i]);
    const SplitterTree tree(strings, sample, 4);
    std::vector<std::uint16_t> leaves(items.size());
    for (std::size_t i = 0; i < items.size(); i += SplitterTree::kBatch) {
      const std::size_t count = std::min(SplitterTree::kBatch, items.size() - i);
      tree.classify(std::span(items).subspan(i, count), leaves.data() + i);
    }
    std::vector<Lines> found(tree.leaf_depths().size());
    for (std::size_t i = 0; i < items.size(); ++i) found[leaves[i]].push_back(set.lines[i]);
    std::string last;
    for (std::size_t leaf = 0; leaf < found.size(); ++leaf) {
      if (found[leaf].empty()) continue;
      const auto [least, greatest] = std::ranges::minmax(found[leaf]);
      ASSERT_LE(last, least);
      const std::size_t depth = tree.leaf_depths()[leaf];
      ASSERT_GE(least.size(), depth);
      ASSERT_EQ(least.substr(0, depth), greatest.substr(0, depth));
      last = greatest;
    }
  }
}

TEST(SplitterTreeTest, MakesLeavesOfSimilarSize) {
  const Lines lines = with_prefix(random_lines(100'000, "abcdefghijklmnop", 30, 9), "/usr/share/doc/of/all/packages/");
  const Text text(lines);
  const std::vector<LineItem> items = text.items();
  const std::vector<LineItem> sample(items.begin(), items.begin() + 4000);
  const SplitterTree tree(text.strings(), sample, 8);
  std::vector<std::size_t> sizes(tree.leaf_depths().size());
  for (std::size_t i = 0; i < items.size(); i += SplitterTree::kBatch) {
    std::array<std::uint16_t, SplitterTree::kBatch> leaves;
    const std::size_t count = std::min(SplitterTree::kBatch, items.size() - i);
    tree.classify(std::span(items).subspan(i, count), leaves.data());
    for (std::size_t j = 0; j < count; ++j) ++sizes[leaves[j]];
  }
  // One in 31 lines ends with the prefix, and is equal to the others that do.
  std::ranges::sort(sizes, std::greater());
  EXPECT_LT(sizes[0], 100'000u / 20);
  EXPECT_LT(sizes[1], 100'000u / 100);
}

TEST(ItemStringsTest, KnowsStringsTooLongForAnItem) {
  LineOrder order;
  order.keys.resize(1);
  order.keys.front().place.begin_field = 1;
  order.field_separator = ',';
  const KeyEncoder encoder(order);
  const std::string key(std::size_t{kManyBytes} + 5, 'k');
  const std::string text = "first\nx," + key + "\nlast\n" + std::string(kCopyPadding, '#');
  const auto* const from = reinterpret_cast<const std::uint8_t*>(text.data());
  const ItemStrings lines(ItemStrings::Kind::kLines, from, '\n', encoder);
  const LineItem line{0, item_place(6, key.size() + 2)};
  EXPECT_EQ(lines.bytes(line), key.size() + 2);
  const ItemStrings views(ItemStrings::Kind::kViews, from, '\n', encoder);
  const LineItem view{0, item_place(8, key.size())};
  EXPECT_EQ(views.bytes(view), key.size());
  EXPECT_EQ(views.line(view).place, line.place);
  ItemStrings knows = lines;
  const std::vector<LongString> known{{6, 17}};
  knows.know(known, text.size());
  EXPECT_EQ(knows.bytes(line), 17u);
}

TEST(ItemStringsTest, FindsTheLinesOfViews) {
  const LineOrder order;
  const KeyEncoder encoder(order);
  const std::string text = "\nab\n\ncde\n" + std::string(kCopyPadding, '#');
  const ItemStrings views(ItemStrings::Kind::kViews, reinterpret_cast<const std::uint8_t*>(text.data()), '\n', encoder);
  const auto line_of = [&](std::uint64_t offset, std::uint64_t bytes) {
    return views.line({0, item_place(offset, bytes)}).place;
  };
  EXPECT_EQ(line_of(0, 0), item_place(0, 0));
  EXPECT_EQ(line_of(1, 1), item_place(1, 2));
  EXPECT_EQ(line_of(3, 0), item_place(1, 2));
  EXPECT_EQ(line_of(4, 0), item_place(4, 0));
  EXPECT_EQ(line_of(6, 1), item_place(5, 3));
  EXPECT_EQ(line_of(8, 0), item_place(5, 3));
}

TEST(ItemStringsTest, FoldsTheCaseOfEachByte) {
  for (unsigned byte = 0; byte != 256; ++byte) {
    const unsigned folded = byte >= 'a' && byte <= 'z' ? byte - 'a' + 'A' : byte;
    for (unsigned at = 0; at != 64; at += 8) {
      for (const std::uint64_t others :
           {std::uint64_t{0}, 0x7f * std::uint64_t{0x0101010101010101}, ~std::uint64_t{0}}) {
        const std::uint64_t rest = others & ~(std::uint64_t{0xff} << at);
        EXPECT_EQ(fold_case(rest | std::uint64_t{byte} << at), rest | std::uint64_t{folded} << at) << byte;
      }
    }
  }
}

// Views in upper case against strings that were folded before.
TEST(ItemStringsTest, ComparesViewsInUpperCase) {
  LineOrder order;
  order.keys.resize(1);
  order.keys.front().rule.folds_case = true;
  const KeyEncoder encoder(order);
  ASSERT_TRUE(encoder.folds_view());
  Lines lines = random_lines(300, "aAzZ@[`{\xe4", 30, 11);
  lines.push_back(std::string("aB\0", 3));
  lines.push_back("Ab");
  lines.push_back("");
  std::string text;
  std::vector<LineItem> items;
  for (const std::string& line : lines) {
    items.push_back({0, item_place(text.size(), line.size())});
    text += line + '\n';
  }
  text.append(kCopyPadding, '#');
  const ItemStrings strings(ItemStrings::Kind::kViews, reinterpret_cast<const std::uint8_t*>(text.data()), '\n',
                            encoder);
  const auto sign = [](int value) { return (value > 0) - (value < 0); };
  const auto upper = [](std::string line) {
    for (char& byte : line) byte = byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
    return line;
  };
  for (std::size_t i = 0; i != lines.size(); ++i) {
    const std::string a = upper(lines[i]);
    for (std::size_t j = 0; j != lines.size(); ++j) {
      const std::string b = upper(lines[j]);
      ASSERT_EQ(strings.compare(items[i], items[j], 0), sign(a.compare(b))) << a << ' ' << b;
      ASSERT_EQ(strings.are_equal(items[i], items[j]), a == b) << a << ' ' << b;
      const std::size_t most = std::min(a.size(), b.size());
      const auto shared = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
      ASSERT_EQ(strings.shared(items[i], items[j], 0, static_cast<std::uint32_t>(most)), shared) << a << ' ' << b;
    }
  }
}

// Lines KEY,REST in leaves: ascending by key, then by line where the key is frequent.
TEST(LeafFinderTest, SplitsFrequentKeysByTheirLines) {
  LineOrder order;
  order.keys.resize(1);
  order.keys.front().place.end_field = 0;
  order.field_separator = ',';
  const KeyEncoder encoder(order);
  const std::string zero(1, '\0');
  const Lines keys{"", "key", "a longer key than a cache", "Key"};
  const Lines like{"key" + zero, "key" + zero + zero, "ke", "a longer key than a cache" + zero, "a", zero};
  const Lines rests = random_lines(60'000, "abcdef", 12, 12);
  std::string text;
  std::vector<LineItem> views;
  std::vector<std::uint64_t> line_bytes;
  Lines lines;
  std::mt19937 random(13);
  for (const std::string& rest : rests) {
    const std::string key = random() % 9 == 0 ? like[random() % like.size()] : keys[random() % keys.size()];
    lines.push_back(key + "," + rest);
    views.push_back({0, item_place(text.size(), key.size())});
    line_bytes.push_back(lines.back().size() + 1);
    text += lines.back() + '\n';
  }
  text.append(kCopyPadding, '#');
  const auto* const from = reinterpret_cast<const std::uint8_t*>(text.data());
  const ItemStrings strings(ItemStrings::Kind::kViews, from, '\n', encoder);
  const ItemStrings texts(ItemStrings::Kind::kLines, from, '\n', encoder);
  std::vector<LineItem> sample(views.begin(), views.begin() + 4000);
  for (const bool splits_equal : {false, true}) {
    const LeafFinder finder(strings, texts, sample, splits_equal);
    EXPECT_EQ(finder.has_line_leaves(), splits_equal);
    std::vector<std::uint16_t> leaves(views.size());
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < views.size(); i += SplitterTree::kBatch) {
      const std::size_t count = std::min(SplitterTree::kBatch, views.size() - i);
      const LineBatch batch{std::span(views).subspan(i, count), std::span(line_bytes).subspan(i, count), begin, i, 1};
      finder.classify(batch, leaves.data() + i);
      batch.for_each_line([&](std::size_t j, const LineItem& line) { ASSERT_EQ(texts.view(line), lines[i + j]); });
      for (const std::uint64_t bytes : batch.line_bytes) begin += bytes;
    }
    std::vector<Lines> keys_of(finder.leaves().size()), lines_of(finder.leaves().size());
    for (std::size_t i = 0; i != views.size(); ++i) {
      keys_of[leaves[i]].emplace_back(strings.view(views[i]));
      lines_of[leaves[i]].push_back(lines[i]);
    }
    std::string last_key, last_line;
    std::size_t largest = 0;
    for (std::size_t leaf = 0; leaf != keys_of.size(); ++leaf) {
      if (keys_of[leaf].empty()) continue;
      const auto [least, greatest] = std::ranges::minmax(keys_of[leaf]);
      ASSERT_LE(last_key, least);
      const LeafFinder::Leaf& found = finder.leaves()[leaf];
      if (found.has_lines) {
        ASSERT_EQ(least, greatest);
        const auto [first, last] = std::ranges::minmax(lines_of[leaf]);
        if (last_key == least) {
          ASSERT_LE(last_line, first);
        }
        ASSERT_EQ(first.substr(0, found.depth), last.substr(0, found.depth));
        last_line = last;
      } else {
        ASSERT_EQ(least.substr(0, found.depth), greatest.substr(0, found.depth));
        last_line.clear();
      }
      last_key = greatest;
      largest = std::max(largest, lines_of[leaf].size());
    }
    EXPECT_EQ(largest < lines.size() / 20, splits_equal);  // 2 of 9 lines have the same key
  }
}

}  // namespace
}  // namespace spillway
