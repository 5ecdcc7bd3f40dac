#include "tools/report/progress.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

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

TEST(ProgressStyle, QuietWinsAndFilesGetLinesOnlyOnDemand) {
  EXPECT_EQ(progress_style(true, true), ProgressStyle::kNone);
  if (isatty(2) == 1) GTEST_SKIP() << "standard error is a terminal";
  EXPECT_EQ(progress_style(false, false), ProgressStyle::kNone);
  EXPECT_EQ(progress_style(true, false), ProgressStyle::kPlainLines);
}

TEST(ProgressDisplay, StopsAtOnceAndTwice) {
  IndexProgress progress;
  ProgressDisplay display(progress, ProgressStyle::kPlainLines);
  display.stop();
  display.stop();
}

}  // namespace
}  // namespace spillway
