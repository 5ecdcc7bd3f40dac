// Strings of kManyBytes or more in mapped text that changes while it is sorted: their lengths are found anew, and stay
// within the text.
#include "sort/lines/block/items.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace spillway {
namespace {

constexpr std::size_t kLine = std::size_t{kManyBytes} + 1000;

LineOrder second_field() {
  LineOrder order;
  order.keys.resize(1);
  order.keys.front().place.begin_field = order.keys.front().place.end_field = 1;
  order.field_separator = ',';
  return order;
}

// Two lines, a key of kManyBytes or more at the end of the second one, and a line end after the text, as a block has
// it.
class LongStrings : public ::testing::Test {
 protected:
  static constexpr std::size_t kBegin = 10, kField = kBegin + 5'000'000, kEnd = kField + kLine;
  LongStrings() {
    text_.assign(kEnd + 2 + 64, 'x');
    text_[kBegin - 1] = text_[kEnd] = text_[kEnd + 1] = '\n';
    text_[kField - 1] = ',';
  }
  ItemStrings strings(ItemStrings::Kind kind) const {
    return {kind, reinterpret_cast<const std::uint8_t*>(text_.data()), '\n', encoder_};
  }
  std::string text_;
  const LineOrder order_ = second_field();
  const KeyEncoder encoder_{order_};
};

TEST_F(LongStrings, AreFoundAnewWhereTheyAreNotKnown) {
  const LineItem key{0, item_place(kField, kLine)}, line{0, item_place(kBegin, kEnd - kBegin)};
  ItemStrings keys = strings(ItemStrings::Kind::kViews);
  EXPECT_EQ(keys.bytes(key), kLine);
  EXPECT_EQ(strings(ItemStrings::Kind::kLines).bytes(line), kEnd - kBegin);
  EXPECT_EQ(keys.line(key).place, line.place);
}

TEST_F(LongStrings, KeepToTheirLineIfTheKeyMovesForward) {
  const LineItem key{0, item_place(kField, kLine)};
  text_[kField - 1] = 'x';
  text_[kBegin + 3] = ',';
  EXPECT_EQ(strings(ItemStrings::Kind::kViews).bytes(key), kLine);
}

TEST_F(LongStrings, HaveNoBytesIfTheKeyEndsBeforeThem) {
  const LineItem key{0, item_place(kField, kLine)};
  text_[kBegin + 3] = ',';  // the second field ends where it began
  EXPECT_EQ(strings(ItemStrings::Kind::kViews).bytes(key), 0U);
}

// The item was made when the line was long; then its ends were lost, and those of others.
TEST_F(LongStrings, EndWithTheTextIfLineEndsAreLost) {
  const LineItem key{0, item_place(kField, kLine)}, line{0, item_place(kBegin, kEnd - kBegin)};
  text_[kBegin - 1] = text_[kEnd] = 'x';
  for (const std::size_t most : {kLine / 2, kLine, 2 * kLine}) {
    ItemStrings keys = strings(ItemStrings::Kind::kViews), lines = strings(ItemStrings::Kind::kLines);
    keys.know({}, most);
    lines.know({}, most);
    EXPECT_LE(kBegin + lines.bytes(line), kEnd + 1);
    EXPECT_LE(kField + keys.bytes(key), kEnd + 1);
    const LineItem whole = keys.line(key);
    EXPECT_LE((whole.place >> kBytesBits) + lines.bytes(whole), kEnd + 1);
  }
}

// A line that becomes long in the middle of others, for their ends are lost.
TEST_F(LongStrings, AppearWithinWhatLinesMayHave) {
  const LineItem key{0, item_place(kEnd - 5, 4)};
  text_[kBegin - 1] = 'x';
  ItemStrings keys = strings(ItemStrings::Kind::kViews), lines = strings(ItemStrings::Kind::kLines);
  keys.know({}, 2 * kLine);
  lines.know({}, 2 * kLine);
  const LineItem whole = keys.line(key);
  EXPECT_EQ(whole.place >> kBytesBits, 0U);
  EXPECT_EQ(lines.bytes(whole), kEnd);
}

}  // namespace
}  // namespace spillway
