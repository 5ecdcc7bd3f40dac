#include "corpora/charset/prescan.hpp"

#include <gtest/gtest.h>
namespace spillway::testing {
namespace {

std::string_view name_of(const Encoding* encoding) { return encoding == nullptr ? "none" : encoding->name; }
std::string_view prescan(std::string_view html) { return name_of(prescan_encoding(html)); }

TEST(Prescan, ReadsMeta) {
  EXPECT_EQ(prescan("<meta charset=koi8-r>"), "koi8-r");
  EXPECT_EQ(prescan("<!-- <meta charset=koi8-r> --><META/CHARSET = 'Shift_JIS'>"), "shift_jis");
  EXPECT_EQ(prescan("<meta http-equiv=Content-Type content='text/html; charset=\"euc-kr\"'>"), "euc-kr");
  EXPECT_EQ(prescan("<meta content='text/html; charset=euc-kr' name=x>"), "none");
  EXPECT_EQ(prescan("<meta charset=unknown><meta charset=big5>"), "big5");
  EXPECT_EQ(prescan("<meta charset=big5"), "none");
  EXPECT_EQ(prescan("<a title='<meta charset=big5>'><meta charset=gbk>"), "gbk");
}

TEST(Prescan, TakesUtf16ForUtf8) {
  EXPECT_EQ(prescan("<meta charset=utf-16>"), "utf-8");
  EXPECT_EQ(prescan("<meta charset=x-user-defined>"), "windows-1252");
}

TEST(Prescan, ReadsXmlDeclarations) {
  using namespace std::string_view_literals;
  EXPECT_EQ(prescan("<?xml version='1.0' encoding = \"windows-1251\"?><html>"), "windows-1251");
  EXPECT_EQ(prescan("<?xml version='1.0' encoding='utf-16'?><html>"), "utf-8");
  EXPECT_EQ(prescan("<?xml version='1.0' encoding='gbk'?><meta charset=big5>"), "big5");
  EXPECT_EQ(prescan("<?xml version='1.0'?><p encoding='gbk'>"), "none");
  EXPECT_EQ(prescan("<?xml encoding='gbk"), "none");
  EXPECT_EQ(prescan("<\0?\0x\0m\0"sv), "utf-16le");
  EXPECT_EQ(prescan("\0<\0?\0x\0m"sv), "utf-16be");
}

TEST(Prescan, FindsTheCharsetOfAContentType) {
  EXPECT_EQ(charset_parameter("text/html; charset=utf-8"), "utf-8");
  EXPECT_EQ(charset_parameter("text/html;CHARSET = \"a b\"; x=y"), "a b");
  EXPECT_EQ(charset_parameter("text/html; charset=utf-8;x"), "utf-8");
  EXPECT_EQ(charset_parameter("charset charset='x"), "");
  EXPECT_EQ(charset_parameter("text/html"), "");
  EXPECT_EQ(charset_parameter("charset="), "");
}

}  // namespace
}  // namespace spillway::testing
