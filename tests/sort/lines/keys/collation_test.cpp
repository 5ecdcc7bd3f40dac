#include "sort/lines/keys/collation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "io/base/error.hpp"

namespace spillway {
namespace {

using Texts = std::vector<std::string>;

std::string key_of(const Collation& collation, const std::string& text) {
  std::string key;
  collation.append(text, key);
  return key;
}

Texts sorted(const std::string& locale, Texts texts) {
  const Collation collation(locale);
  std::ranges::sort(texts, {}, [&](const std::string& text) { return key_of(collation, text); });
  return texts;
}

TEST(Collation, OrdersAsLanguagesDo) {
  EXPECT_EQ(sorted("en_US", {"zebra", "Zoe", "apple", "Äpfel", "apfel", "Apfel"}),
            (Texts{"apfel", "Apfel", "Äpfel", "apple", "zebra", "Zoe"}));
  EXPECT_EQ(sorted("sv_SE.UTF-8", {"ö", "z", "å", "a", "ä"}), (Texts{"a", "z", "å", "ä", "ö"}));
  EXPECT_EQ(sorted("de@collation=phonebook", {"Ad", "Ärger", "Af"}), (Texts{"Ad", "Ärger", "Af"}));
  EXPECT_EQ(sorted("root", {"b", "B", "a"}), (Texts{"a", "b", "B"}));
}

TEST(Collation, EndsKeysByTheirOnlyZeroByte) {
  const Collation collation("root");
  for (const std::string& text :
       {std::string(), std::string("a"), std::string("a\0b", 3), std::string("\xFF\xFE x"), std::string(5000, 'y')}) {
    std::string key = "before";
    collation.append(text, key);
    EXPECT_TRUE(key.starts_with("before"));
    EXPECT_EQ(key.find('\0'), key.size() - 1) << text.substr(0, 10);
  }
  EXPECT_EQ(key_of(collation, "a\xFFz"), key_of(collation, "a\xEF\xBF\xBDz"));
}

TEST(Collation, RefusesUnknownLanguages) {
  for (const std::string locale : {"", "xq_YY", "klingon", "C"}) {
    EXPECT_THROW(Collation{locale}, UsageError) << locale;
  }
}

}  // namespace
}  // namespace spillway
