#include "sort/lines/keys/key_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace spillway {
namespace {

using Texts = std::vector<std::string>;

LineOrder order_of(KeyRule rule) {
  LineOrder order;
  order.is_stable = true;
  order.keys.push_back({KeyPlace{}, rule});
  return order;
}

std::string encoded(const KeyEncoder& encoder, const std::string& line) {
  std::string key;
  encoder.append(line, key);
  return key;
}

// Each group is one rank: equal texts, then greater ones.
void expect_ranks(KeyRule rule, const std::vector<Texts>& groups) {
  const LineOrder order = order_of(rule);
  const KeyEncoder encoder(order);
  std::string before;
  for (const Texts& group : groups) {
    const std::string key = encoded(encoder, group.front());
    EXPECT_LT(before, key) << group.front();
    for (const std::string& text : group) EXPECT_EQ(encoded(encoder, text), key) << text;
    before = key;
  }
}

KeyRule rule_of(KeyKind kind) {
  KeyRule rule;
  rule.kind = kind;
  return rule;
}

TEST(KeyEncoder, OrdersDecimalNumbersOfAnyLength) {
  const std::string nines(150, '9'), large = "1" + std::string(150, '0');
  expect_ranks(rule_of(KeyKind::kNumber), {{"-" + large},
                                           {"-" + nines},
                                           {"-100"},
                                           {"-12"},
                                           {"-1.5"},
                                           {"-1"},
                                           {"-.05"},
                                           {"0", "", "x", "-0", "-", "00.00", "+5", "  x"},
                                           {".05", " \t0.050"},
                                           {".5"},
                                           {"1", "01", "1.000", "1e3", "1x"},
                                           {"1.05"},
                                           {"1.5"},
                                           {"2"},
                                           {"10"},
                                           {"12"},
                                           {"100", "0100."},
                                           {nines},
                                           {large}});
}

TEST(KeyEncoder, OrdersNumbersWithUnitsBySignUnitAndNumber) {
  expect_ranks(rule_of(KeyKind::kHumanNumber), {{"-1M"},
                                                {"-9K"},
                                                {"-1"},
                                                {"0", "0K", "K", ""},
                                                {"1"},
                                                {"5000"},
                                                {"1K", "1k"},
                                                {"2K"},
                                                {"1M"},
                                                {"1G"},
                                                {"1T"},
                                                {"1P"},
                                                {"1E"},
                                                {"1Z"},
                                                {"1Y"}});
}

// As GNU sort does: the byte counts for nothing in an integer, and ends the number where its unit is looked for.
TEST(KeyEncoder, TakesByte80ForASeparatorOfThousands) {
  expect_ranks(rule_of(KeyKind::kNumber), {{"-1\x80\x30"},
                                           {"-\x80\x32"},
                                           {"0", "\x80", "-\x80", "0\x80\x30", "0.\x80\x35", "\x80-\x31"},
                                           {"\x80\x31", "1\x80", "0\x80\x30\x31", "1.\x80"},
                                           {"1\x80.5", "1.5"},
                                           {"2"},
                                           {"1\x80\x80\x32\x80\x33", "123"}});
  expect_ranks(rule_of(KeyKind::kHumanNumber), {{"1"}, {"2", "2\x80K"}, {"1\x80\x32K", "12"}, {"1K"}});
}

TEST(KeyEncoder, OrdersWhatStrtoldReads) {
  expect_ranks(rule_of(KeyKind::kGeneralNumber), {{"", "x"},
                                                  {"nan"},
                                                  {"-nan"},
                                                  {"-inf"},
                                                  {"-1e300"},
                                                  {"-1"},
                                                  {"0", "-0", "0x0"},
                                                  {"1e-4000"},
                                                  {"1", "0x1"},
                                                  {"1e3", "1000", "+1000"},
                                                  {"1e4000"},
                                                  {"inf"}});
}

TEST(KeyEncoder, OrdersMonthsInAnyCase) {
  expect_ranks(rule_of(KeyKind::kMonth), {{"", "x", "ja"},
                                          {"JAN", " january"},
                                          {"feb"},
                                          {"Mar"},
                                          {"APR"},
                                          {"MAY"},
                                          {"JUN"},
                                          {"JUL"},
                                          {"AUG"},
                                          {"SEP"},
                                          {"OCT"},
                                          {"NOV"},
                                          {"dec"}});
}

TEST(KeyEncoder, OrdersVersionsAndLooksAtSuffixesLast) {
  expect_ranks(rule_of(KeyKind::kVersionNumber), {{""},
                                                  {"."},
                                                  {".."},
                                                  {".a"},  // a suffix of nothing
                                                  {"..a"},
                                                  {".0a"},
                                                  {".a."},
                                                  {"0", "00"},
                                                  {"1", "01"},
                                                  {"9"},
                                                  {"10"},
                                                  {"a~"},
                                                  {"a", "a0", "a00"},
                                                  {"a1"},
                                                  {"a2"},
                                                  {"a2.tar.gz"},
                                                  {"a10"},
                                                  {"a10b"},
                                                  {"ab"}});
}

TEST(KeyEncoder, KeepsBytesApartThatEndAText) {
  expect_ranks({}, {{""},
                    {std::string("\0", 1)},
                    {std::string("\0\0", 2)},
                    {std::string("\0a", 2)},
                    {"\1"},
                    {"\1a"},
                    {"a"},
                    {std::string("a\0", 2)},
                    {"a\1"},
                    {"ab"},
                    {"\xFF"}});
}

TEST(KeyEncoder, FoldsCaseAndLeavesBytesOut) {
  KeyRule fold;
  fold.folds_case = true;
  expect_ranks(fold, {{"abc", "ABC", "aBc"}, {"abd"}, {"_"}});
  KeyRule dictionary;
  dictionary.ignored = IgnoredBytes::kNonDictionary;
  expect_ranks(dictionary, {{"a b", "a. b", "-a b\x80"}, {"ab", "a.b"}});
  KeyRule printable;
  printable.ignored = IgnoredBytes::kNonPrinting;
  expect_ranks(printable, {{"ab", "a\tb",
                            "a\x7F\x80"
                            "b"},
                           {"b"}});
}

TEST(KeyEncoder, ReversesOneKeyOfSeveral) {
  LineOrder order;
  KeyPlace first, second;
  first.begin_field = first.end_field = 0;
  second.begin_field = second.end_field = 1;
  order.field_separator = ',';
  KeyRule reversed = rule_of(KeyKind::kNumber);
  reversed.is_reversed = true;
  order.keys = {{first, reversed}, {second, KeyRule{}}};
  const KeyEncoder encoder(order);
  EXPECT_FALSE(encoder.is_view());
  const Texts in_order{"10,a", "2,a", "2,b", "-1,a"};
  for (std::size_t i = 1; i < in_order.size(); ++i) {
    EXPECT_LT(encoded(encoder, in_order[i - 1]), encoded(encoder, in_order[i])) << in_order[i];
  }
}

TEST(KeyEncoder, ShufflesTextsAlikeAtAnyAddress) {
  LineOrder order;
  order.keys.resize(1);
  order.keys.front().rule.kind = KeyKind::kRandom;
  const KeyEncoder encoder(order);
  const std::string text(1000, 'x');
  std::string first;
  encoder.append(text, first);
  for (std::size_t shift = 1; shift < 8; ++shift) {
    const std::string shifted = std::string(shift, ' ') + text;
    std::string key;
    encoder.append(std::string_view(shifted).substr(shift), key);
    EXPECT_EQ(key, first) << shift;
  }
}

TEST(KeyEncoder, SeesAPlainKeyAsAPartOfTheLine) {
  LineOrder order;
  KeyPlace second;
  second.begin_field = second.end_field = 1;
  order.field_separator = '\t';
  order.keys = {{second, KeyRule{}}};
  EXPECT_TRUE(KeyEncoder(order).is_view());
  EXPECT_EQ(KeyEncoder(order).view("one\ttwo\tthree"), "two");
  EXPECT_EQ(KeyEncoder(order).view("one"), "");
  order.is_reversed = true;  // ties then go the other way
  EXPECT_FALSE(KeyEncoder(order).is_view());
}

TEST(KeyEncoder, SeesAFoldedKeyAsAPartOfTheLineInUpperCase) {
  LineOrder order;
  order.keys.resize(1);
  EXPECT_FALSE(KeyEncoder(order).folds_view());
  order.keys.front().rule.folds_case = true;
  EXPECT_TRUE(KeyEncoder(order).is_view());
  EXPECT_TRUE(KeyEncoder(order).folds_view());
  EXPECT_FALSE(KeyEncoder(order, true).is_view());  // for a sorter that compares bytes as they stand
  EXPECT_FALSE(KeyEncoder(order, true).folds_view());
  order.keys.front().rule.ignored = IgnoredBytes::kNonPrinting;
  EXPECT_FALSE(KeyEncoder(order).is_view());
}

// Folding and the bytes that are escaped meet in one loop.
TEST(KeyEncoder, FoldsTextsWithZeroBytes) {
  KeyRule rule;
  rule.folds_case = true;
  const auto text = [](const char* bytes, std::size_t size) { return std::string(bytes, size); };
  expect_ranks(rule, {{""},
                      {text("\0", 1)},
                      {text("\1", 1)},
                      {"A", "a"},
                      {text("A\0z", 3), text("a\0Z", 3)},
                      {text("a\1Z", 3)},
                      {"aZ@[`{", "AZ@[`{"},
                      {"az\xE9", "AZ\xE9"}});
}

}  // namespace
}  // namespace spillway
