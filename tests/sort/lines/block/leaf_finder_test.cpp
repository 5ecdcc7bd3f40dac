#include "sort/lines/block/leaf_finder.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

// A text, a third of whose lines are equal to one of `frequent`.
class Leaves : public ::testing::Test {
 protected:
  void add(const std::vector<std::string>& frequent) {
    std::mt19937 random(3);
    for (std::size_t i = 0; i != 3000; ++i) {
      std::string line = frequent[random() % frequent.size()];
      if (i % 3 != 0) line = std::to_string(random()) + line;
      lines_.push_back({0, item_place(text_.size(), line.size())});
      text_ += line + '\n';
    }
    text_.append(64, '\0');
  }
  // Returns the length that the finder knows of lines that are equal to this one.
  std::optional<std::uint32_t> equal_bytes(const std::string& line) {
    const ItemStrings strings(ItemStrings::Kind::kLines, data(), '\n', encoder_);
    const LeafFinder finder(strings, strings, lines_, false);
    for (const LineItem& item : lines_) {
      if (strings.view(item) != line) continue;
      std::uint16_t leaf = 0;
      finder.classify({std::span(&item, 1), {}, 0, 0, 1}, &leaf);
      return finder.leaves()[leaf].least_equal_bytes;
    }
    ADD_FAILURE() << "no such line";
    return std::nullopt;
  }
  const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(text_.data()); }

  std::string text_;
  std::vector<LineItem> lines_;
  const LineOrder order_;
  const KeyEncoder encoder_{order_};
};

TEST_F(Leaves, KnowTheBytesOfFrequentLines) {
  add({"", "seven l", "eight by", "a line of eight words that is longer than others"});
  EXPECT_EQ(equal_bytes(""), 0U);
  EXPECT_EQ(equal_bytes("seven l"), 7U);
  EXPECT_EQ(equal_bytes("eight by"), 8U);
}

TEST_F(Leaves, CountZerosAtTheEndAsIfTheyWereMissing) {
  add({std::string("ab\0", 3), "x"});
  EXPECT_EQ(equal_bytes(std::string("ab\0", 3)), 2U);
}

TEST_F(Leaves, KnowNothingOfLinesThatDiffer) {
  add({"x"});
  EXPECT_EQ(equal_bytes(text_.substr(lines_[1].place >> kBytesBits, lines_[1].place & kManyBytes)), std::nullopt);
}

}  // namespace
}  // namespace spillway
