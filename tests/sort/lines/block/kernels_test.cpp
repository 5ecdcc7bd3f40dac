#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sort/lines/block/line_ends.hpp"
#include "sort/lines/block/small_sort.hpp"
#include "sort/lines/block/splitter_search.hpp"

namespace spillway {
namespace {

using Bytes = std::vector<std::uint8_t>;

// In memory of just that size, so that a sanitizer finds reads beside it.
std::unique_ptr<std::uint8_t[]> exactly(const Bytes& bytes) {
  auto copy = std::make_unique<std::uint8_t[]>(bytes.size());
  std::ranges::copy(bytes, copy.get());
  return copy;
}

void expect_line_ends(const Bytes& text, char line_end) {
  std::vector<std::uint16_t> expected;
  for (std::size_t i = 0; i != text.size(); ++i) {
    if (text[i] == static_cast<std::uint8_t>(line_end)) expected.push_back(static_cast<std::uint16_t>(i));
  }
  const auto alone = exactly(text);
  for (const LineEndKernel& kernel : all_line_end_kernels()) {
    LineEnds ends;
    const std::size_t count = kernel.find(alone.get(), text.size(), line_end, ends);
    EXPECT_EQ(std::vector(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(count)), expected) << kernel.name;
    EXPECT_EQ(kernel.count(alone.get(), text.size(), line_end), expected.size()) << kernel.name;
  }
}

TEST(LineEndKernels, FindTheEndsOfLinesOfAllLengths) {
  std::mt19937 random(1);
  for (std::size_t bytes = 0; bytes != 300; ++bytes) {
    Bytes text(bytes);
    for (auto& byte : text) byte = random() % 7 == 0 ? '\n' : static_cast<std::uint8_t>(random());
    expect_line_ends(text, '\n');
  }
}

TEST(LineEndKernels, FindFewAndManyEndsInAFullText) {
  std::mt19937 random(2);
  for (const unsigned each : {1u, 2u, 3u, 9u, 60u, 5000u}) {
    for (const char line_end : {'\n', '\0', '\xff'}) {
      Bytes text(kLineEndText, 'a');
      for (auto& byte : text) {
        if (random() % each == 0) byte = static_cast<std::uint8_t>(line_end);
      }
      expect_line_ends(text, line_end);
    }
  }
}

TEST(LineEndKernels, CountInTextsOfAnyLength) {
  Bytes text(100'000, '\n');
  for (const LineEndKernel& kernel : all_line_end_kernels()) {
    EXPECT_EQ(kernel.count(text.data(), text.size(), '\n'), text.size()) << kernel.name;
    EXPECT_EQ(kernel.count(text.data(), text.size(), 'a'), 0) << kernel.name;
  }
}

// Strings in one text, and nodes of all sizes with splitters that equal many of the caches.
class SplitterKernels : public ::testing::Test {
 protected:
  static constexpr std::size_t kStrings = 1000;

  void add(const std::string& string) {
    items_.push_back({0, item_place(text_.size(), string.size())});
    text_ += string;
    text_ += '\n';
  }
  void add_node(std::uint32_t depth, std::uint32_t bits) {
    const std::size_t splitters = (std::size_t{1} << bits) - 1;
    nodes_.push_back({depth, bits, splitters_.size(), outcomes_.size()});
    std::vector<std::uint64_t> chosen(splitters);
    for (std::uint64_t& splitter : chosen) splitter = strings().load(items_[random_() % items_.size()], depth);
    std::ranges::sort(chosen);
    splitters_.insert(splitters_.end(), chosen.begin(), chosen.end());
    for (std::size_t i = 0; i != 3 * (splitters + 1); ++i) outcomes_.push_back(static_cast<std::uint32_t>(random_()));
  }
  ItemStrings strings() const {
    return {kind_, reinterpret_cast<const std::uint8_t*>(text_.data()), '\n', folds_ ? folding_encoder_ : encoder_};
  }
  void expect_equal_outcomes() {
    std::vector<std::uint32_t> left(kSearchBatch), at(kSearchBatch), expected(kSearchBatch), found(kSearchBatch);
    const SplitterNodes tree{nodes_.data(), splitters_.data(), outcomes_.data()};
    const auto kernels = all_splitter_kernels();
    for (int round = 0; round != 300; ++round) {
      for (auto& item : left) item = static_cast<std::uint32_t>(random_() % items_.size());
      for (auto& node : at) node = static_cast<std::uint32_t>(random_() % nodes_.size());
      kernels.front().search(strings(), tree, items_.data(), left.data(), at.data(), expected.data());
      for (const SplitterKernel& kernel : kernels) {
        kernel.search(strings(), tree, items_.data(), left.data(), at.data(), found.data());
        ASSERT_EQ(found, expected) << kernel.name;
      }
    }
  }

  std::mt19937 random_{3};
  static LineOrder folding_order() {
    LineOrder order;
    order.keys.resize(1);
    order.keys.front().rule.folds_case = true;
    return order;
  }
  LineOrder order_, folding_order_ = folding_order();
  KeyEncoder encoder_{order_}, folding_encoder_{folding_order_};
  ItemStrings::Kind kind_ = ItemStrings::Kind::kLines;
  bool folds_ = false;
  std::string text_;
  std::vector<LineItem> items_;
  std::vector<SplitterNode> nodes_;
  std::vector<std::uint64_t> splitters_;
  std::vector<std::uint32_t> outcomes_;
};

TEST_F(SplitterKernels, FindTheSameOutcomes) {
  for (std::size_t i = 0; i != kStrings; ++i) {
    std::string string(16 + random_() % 24, 'a');
    for (char& byte : string) byte = "a\xff\0b"[random_() % 4];
    add(string);
  }
  text_.append(kCachedBytes, '\0');
  for (std::uint32_t bits = 1; bits != 11; ++bits) add_node(bits % 3 * 8, bits);
  expect_equal_outcomes();
}

TEST_F(SplitterKernels, FoldStringsInTheSameWay) {
  kind_ = ItemStrings::Kind::kViews;
  folds_ = true;
  for (std::size_t i = 0; i != kStrings; ++i) {
    std::string string(random_() % 40, 'a');
    for (char& byte : string) byte = static_cast<char>(random_() % 3 == 0 ? random_() : "aAzZ"[random_() % 4]);
    add(string);
  }
  text_.append(kCachedBytes, 'z');
  ASSERT_TRUE(strings().folds());
  for (std::uint32_t bits = 1; bits != 11; ++bits) add_node(0, bits);
  expect_equal_outcomes();
}

TEST_F(SplitterKernels, KnowWhereStringsEnd) {
  for (std::size_t i = 0; i != kStrings; ++i) add(std::string(random_() % 20, random_() % 2 == 0 ? 'a' : '\0'));
  text_.append(kCachedBytes, '\0');
  for (std::uint32_t bits = 1; bits != 6; ++bits) add_node(0, bits);
  expect_equal_outcomes();
}

TEST_F(SplitterKernels, TakeStringsOfAnyLength) {
  for (std::size_t i = 0; i != kStrings; ++i) add(std::string(random_() % 20, 'a'));
  add(std::string(kManyBytes + std::size_t{1000}, 'a'));
  add(std::string(kManyBytes, 'a'));
  text_.append(kCachedBytes, '\0');
  for (std::uint32_t bits = 1; bits != 4; ++bits) add_node(0, bits);
  expect_equal_outcomes();
}

TEST(SmallSortKernels, SortStablyByCaches) {
  std::mt19937_64 random(1);
  for (unsigned round = 0; round != 4000; ++round) {
    const std::size_t count = round % (kMostSmallItems + 1);
    const std::uint64_t most = round % 3 == 0 ? 4 : round % 3 == 1 ? 100 : ~std::uint64_t{0};
    std::vector<LineItem> items;
    for (std::size_t i = 0; i != count; ++i)
      items.push_back({most == ~std::uint64_t{0} ? random() : random() % most, i});
    std::vector<LineItem> expected = items;
    std::ranges::stable_sort(expected, {}, &LineItem::cache);
    for (const SmallSortKernel& kernel : all_small_sort_kernels()) {
      const auto sorted = std::make_unique<LineItem[]>(count);
      std::ranges::copy(items, sorted.get());
      kernel.sort({sorted.get(), count});
      for (std::size_t i = 0; i != count; ++i) {
        ASSERT_EQ(sorted[i].cache, expected[i].cache) << kernel.name;
        ASSERT_EQ(sorted[i].place, expected[i].place) << kernel.name;
      }
    }
  }
}

}  // namespace
}  // namespace spillway
