#include "io/base/error.hpp"

#include <gtest/gtest.h>

namespace spillway {
namespace {

TEST(Printable, KeepsTextAsItIs) {
  EXPECT_EQ(printable("plain text, 100 %"), "plain text, 100 %");
  EXPECT_EQ(printable("Gr\u00FC\u00DFe \u4E16\u754C \U0001F600"), "Gr\u00FC\u00DFe \u4E16\u754C \U0001F600");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\x0Ab\\x09c\\x0D");
  EXPECT_EQ(printable("\x1B[31mred"), "\\x1B[31mred");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\x7F"), "\\x7F");
  EXPECT_EQ(printable("\u0085\u009B"), "\\x85\\x9B");
}

TEST(Printable, EscapesWhatTurnsTheReadingDirection) {
  EXPECT_EQ(printable("\u202Eevil"), "\\u{202E}evil");
  EXPECT_EQ(printable("\u2066x\u2069\u200F\u061C\u2028"), "\\u{2066}x\\u{2069}\\u{200F}\\u{061C}\\u{2028}");
}

TEST(Printable, EscapesBrokenUtf8ByByte) {
  EXPECT_EQ(printable("\xFF\xC0\x80"), "\\xFF\\xC0\\x80");
  EXPECT_EQ(printable("\xE4\xB8"), "\\xE4\\xB8");           // cut
  EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xE0\x80\x80"), "\\xE0\\x80\\x80");  // overlong
  EXPECT_EQ(printable("a\xE4z"), "a\\xE4z");
}

TEST(Printable, IsCutToTheGivenLength) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef...");
  EXPECT_LE(printable(std::string(100'000, '\n'), 50).size(), 50u + 3 + 4);
}

TEST(Errors, CarryTheExitCodesOfTheCommandLine) {
  EXPECT_EQ(IoError("x").code(), ExitCode::kUsageOrIo);
  EXPECT_EQ(UsageError("x").code(), ExitCode::kUsageOrIo);
  EXPECT_EQ(InputError("x").code(), ExitCode::kBadInput);
  EXPECT_EQ(BudgetError("x").code(), ExitCode::kOverBudget);
  EXPECT_EQ(FormatError("x").code(), ExitCode::kCorrupt);
  EXPECT_EQ(InterruptedError(2).code(), ExitCode::kInterrupted);
  EXPECT_EQ(InterruptedError(15).code(), ExitCode::kTerminated);
  EXPECT_EQ(InterruptedError(1).code(), ExitCode::kHungUp);
  EXPECT_EQ(InterruptedError(13).code(), ExitCode::kPipeClosed);
}

}  // namespace
}  // namespace spillway
