#include "tools/cli/terminal.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace spillway {
namespace {

class Terminal {
 public:
  explicit Terminal(unsigned short columns) {
    const winsize size{24, columns, 0, 0};
    if (openpty(&person_, &program_, nullptr, nullptr, &size) != 0) throw std::runtime_error("openpty failed");
  }
  ~Terminal() {
    close(person_);
    close(program_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  int descriptor() const { return program_; }

 private:
  int person_ = -1, program_ = -1;
};

TEST(Terminal, RedrawsAndColorsUnlessToldOtherwise) {
  const Terminal terminal(80);
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_TRUE(redraws_lines(terminal.descriptor()));
  EXPECT_TRUE(shows_colors(terminal.descriptor()));
  setenv("NO_COLOR", "1", 1);
  EXPECT_TRUE(redraws_lines(terminal.descriptor()));
  EXPECT_FALSE(shows_colors(terminal.descriptor()));
  unsetenv("NO_COLOR");
  for (const char* type : {"dumb", ""}) {
    setenv("TERM", type, 1);
    EXPECT_FALSE(redraws_lines(terminal.descriptor())) << type;
    EXPECT_FALSE(shows_colors(terminal.descriptor())) << type;
  }
  unsetenv("TERM");
  EXPECT_FALSE(redraws_lines(terminal.descriptor()));
}

TEST(Terminal, IsNoPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  setenv("TERM", "xterm", 1);
  EXPECT_FALSE(redraws_lines(ends[1]));
  EXPECT_FALSE(shows_colors(ends[1]));
  close(ends[0]);
  close(ends[1]);
}

TEST(Terminal, TellsItsWidthBeforeTheEnvironmentDoes) {
  const Terminal wide(132), silent(0), narrow(3);
  setenv("COLUMNS", "100", 1);
  EXPECT_EQ(terminal_columns(wide.descriptor()), 132u);
  EXPECT_EQ(terminal_columns(silent.descriptor()), 100u);
  EXPECT_EQ(terminal_columns(narrow.descriptor()), 20u);
  for (const char* text : {"", "wide", "0", "99999999999999999999"}) {
    setenv("COLUMNS", text, 1);
    EXPECT_EQ(terminal_columns(silent.descriptor()), 80u) << text;
  }
  unsetenv("COLUMNS");
  EXPECT_EQ(terminal_columns(silent.descriptor()), 80u);
}

TEST(PrintableLines, KeepsLineFeedsAndTabsOnly) {
  EXPECT_EQ(printable_lines("a\tb\n\x1B[1m\r\n\u009Bc"), "a\tb\n\\x1B[1m\\x0D\n\\x9Bc");
  EXPECT_EQ(printable_lines(""), "");
  EXPECT_EQ(printable_lines("\n\n"), "\n\n");
}

}  // namespace
}  // namespace spillway
