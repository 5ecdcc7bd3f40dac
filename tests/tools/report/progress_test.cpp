#include "tools/report/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace spillway {
namespace {

TEST(ProgressLine, ShowsShareRateAndTimeLeftWhileReading) {
  IndexProgress progress;
  progress.stage = "read+parse";
  progress.bytes_done = 400'000'000;
  progress.bytes_total = 1'000'000'000;
  progress.documents = 12345;
  progress.runs = 3;
  EXPECT_EQ(progress_line(progress, 2, 4.2),
            "read+parse: 400 MB of 1.00 GB (40.0 %), 200 MB/s, 12,345 documents, 3 runs, 5 s left");
}

TEST(ProgressLine, PromisesNothingWithoutATotal) {
  IndexProgress progress;
  progress.stage = "read+parse";
  progress.bytes_done = 1000;
  EXPECT_EQ(progress_line(progress, 2, std::nullopt), "read+parse: 1.00 KB, 0.00 MB/s, 0 documents");
}

TEST(ProgressLine, ShowsPostingsWhileMerging) {
  IndexProgress progress;
  progress.stage = "merge";
  progress.postings_total = 1000;
  progress.postings_done = 250;
  progress.documents = 10;
  progress.runs = 1;
  EXPECT_EQ(progress_line(progress, 2, std::nullopt), "merge: 25.0 % of 1,000 postings, 10 documents, 1 run");
}

TEST(ProgressLine, NamesWhatIsCounted) {
  IndexProgress progress;
  progress.documents_name = "lines";
  progress.postings_name = "bytes";
  progress.stage = "write";
  progress.postings_total = 1000;
  progress.postings_done = 250;
  progress.documents = 10;
  EXPECT_EQ(progress_line(progress, 2, std::nullopt), "write: 25.0 % of 1,000 bytes, 10 lines");
}

// What is least important goes first; stage, share and time left stay at any width of a terminal.
TEST(ProgressLine, KeepsTheTimeLeftInNarrowTerminals) {
  IndexProgress progress;
  progress.stage = "read+parse";
  progress.bytes_done = 744'000'000'000;
  progress.bytes_total = 1'200'000'000'000;
  progress.documents = 123'456'789;
  progress.runs = 1234;
  EXPECT_EQ(progress_line(progress, 2000, 1200.0),
            "read+parse: 744 GB of 1.20 TB (62.0 %), 372 MB/s, 123,456,789 documents, 1,234 runs, 20 min 0 s left");
  EXPECT_EQ(progress_line(progress, 2000, 1200.0, 90),
            "read+parse: 744 GB of 1.20 TB (62.0 %), 372 MB/s, 123,456,789 documents, 20 min 0 s left");
  EXPECT_EQ(progress_line(progress, 2000, 1200.0, 79),
            "read+parse: 744 GB of 1.20 TB (62.0 %), 123,456,789 documents, 20 min 0 s left");
  EXPECT_EQ(progress_line(progress, 2000, 1200.0, 60), "read+parse: 744 GB of 1.20 TB (62.0 %), 20 min 0 s left");
  EXPECT_EQ(progress_line(progress, 2000, 1200.0, 40), "read+parse: 62.0 %, 20 min 0 s left");
  EXPECT_EQ(progress_line(progress, 2000, 1200.0, 20), "read+parse: 62.0 %, ");
  progress.postings_total = 40'000'000'000;
  progress.postings_done = 10'000'000'000;
  progress.stage = "merge";
  EXPECT_EQ(progress_line(progress, 2000, 1200.0, 80),
            "merge: 25.0 % of 40,000,000,000 postings, 123,456,789 documents, 20 min 0 s left");
}

TEST(ProgressStyle, QuietWinsAndFilesGetLinesOnlyOnDemand) {
  EXPECT_EQ(progress_style(true, true), ProgressStyle::kNone);
  if (isatty(2) == 1) GTEST_SKIP() << "standard error is a terminal";
  EXPECT_EQ(progress_style(false, false), ProgressStyle::kNone);
  EXPECT_EQ(progress_style(true, false), ProgressStyle::kPlainLines);
}

// Standard error is a terminal of this many columns while this lives.
class TerminalForErrors {
 public:
  explicit TerminalForErrors(unsigned short columns) : usual_(dup(STDERR_FILENO)) {
    termios raw{};
    cfmakeraw(&raw);
    const winsize size{24, columns, 0, 0};
    int program = -1;
    if (openpty(&person_, &program, nullptr, &raw, &size) != 0) throw std::runtime_error("openpty failed");
    dup2(program, STDERR_FILENO);
    close(program);
    setenv("TERM", "xterm", 1);
  }
  ~TerminalForErrors() {
    dup2(usual_, STDERR_FILENO);
    close(usual_);
    close(person_);
  }
  TerminalForErrors(const TerminalForErrors&) = delete;
  TerminalForErrors& operator=(const TerminalForErrors&) = delete;

  // Reads what is shown until it contains `words`, or for 30 s.
  const std::string& shown_until(const std::string& words) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    pollfd readable{person_, POLLIN, 0};
    while (shown_.find(words) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
      char piece[4096];
      if (poll(&readable, 1, 100) <= 0) continue;
      const ssize_t got = read(person_, piece, sizeof piece);
      if (got > 0) shown_.append(piece, static_cast<std::size_t>(got));
    }
    return shown_;
  }

 private:
  int usual_, person_ = -1;
  std::string shown_;
};

TEST(ProgressDisplay, RedrawsOneLineWithTheTimeLeftOnATerminal) {
  TerminalForErrors terminal(80);
  ASSERT_EQ(progress_style(false, false), ProgressStyle::kRedrawn);
  IndexProgress progress;
  progress.stage = "read+parse";
  progress.bytes_done = 400'000'000'000;
  progress.bytes_total = 1'000'000'000'000;
  progress.documents = 123'456'789;
  progress.runs = 1234;
  ProgressDisplay display(progress, ProgressStyle::kRedrawn);
  terminal.shown_until(" left");
  display.say("a warning\x1B[2J");
  display.stop();
  const std::string shown = terminal.shown_until("a warning\\x1B[2J\n");
  EXPECT_NE(shown.find(" left"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\ra warning\\x1B[2J\n"), std::string::npos) << "on a line that was erased: " << shown;
  EXPECT_EQ(shown.find('\x1B'), std::string::npos) << shown;
  std::size_t lines = 0;
  for (std::size_t at = shown.find('\r'); at != std::string::npos; at = shown.find('\r', at + 1), ++lines) {
    EXPECT_LT(std::min(shown.find_first_of("\r\n", at + 1), shown.size()) - at - 1, 80u) << shown;
  }
  EXPECT_GE(lines, 3u) << "drawn, erased by blanks, and ready for the next line";
}

TEST(ProgressDisplay, SaysInPlainLinesWhereNothingIsRedrawn) {
  TerminalForErrors terminal(80);
  setenv("TERM", "dumb", 1);
  EXPECT_EQ(progress_style(false, false), ProgressStyle::kNone);
  EXPECT_EQ(progress_style(true, false), ProgressStyle::kPlainLines);
  IndexProgress progress;
  ProgressDisplay display(progress, ProgressStyle::kPlainLines);
  display.say("one\ntwo");
  display.stop();
  EXPECT_EQ(terminal.shown_until("two\n"), "one\ntwo\n");
}

TEST(ProgressDisplay, StopsAtOnceAndTwice) {
  const auto begin = std::chrono::steady_clock::now();
  IndexProgress progress;
  ProgressDisplay display(progress, ProgressStyle::kPlainLines);
  display.stop();
  display.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4)) << "it draws every 5 s";
}

}  // namespace
}  // namespace spillway
