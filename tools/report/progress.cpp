#include "tools/report/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tools/report/figures.hpp"

namespace spillway {

namespace {

using std::chrono::milliseconds;

std::size_t terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

// "744 MB of 1.20 GB (62.0 %), 410 MB/s"
std::string input_part(const IndexProgress& progress, double seconds) {
  const std::uint64_t done = progress.bytes_done.load(), total = progress.bytes_total.load();
  std::string text = bytes_text(done);
  if (total > 0) text += " of " + bytes_text(total) + " (" + percent_text(done, total) + ")";
  text += ", " + rate_text(done, seconds);
  return text;
}

}  // namespace

ProgressStyle progress_style(bool wanted, bool quiet) {
  if (quiet) return ProgressStyle::kNone;
  const char* terminal = std::getenv("TERM");
  const bool redraws = terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
  if (redraws && isatty(STDERR_FILENO) == 1) return ProgressStyle::kRedrawn;
  return wanted ? ProgressStyle::kPlainLines : ProgressStyle::kNone;
}

std::string progress_line(const IndexProgress& progress, double seconds, std::optional<double> left) {
  std::string line = std::string(progress.stage.load()) + ": ";
  const std::uint64_t postings = progress.postings_total.load();
  if (postings > 0) {
    const std::uint64_t done = progress.postings_done.load();
    line += percent_text(done, postings) + " of " + count_text(postings) + " postings";
  } else {
    line += input_part(progress, seconds);
  }
  line += ", " + count_text(progress.documents.load()) + " documents";
  if (const std::uint64_t runs = progress.runs.load()) line += ", " + count_text(runs) + (runs == 1 ? " run" : " runs");
  if (left) {
    line +=
        ", " + (*left < 120 ? count_text(static_cast<std::uint64_t>(*left) + 1) + " s" : seconds_text(*left)) + " left";
  }
  return line;
}

ProgressDisplay::ProgressDisplay(const IndexProgress& progress, ProgressStyle style)
    : progress_(progress), style_(style) {
  if (style_ != ProgressStyle::kNone) thread_ = std::thread([this] { run(); });
}

void ProgressDisplay::run() {
  const milliseconds interval = style_ == ProgressStyle::kRedrawn ? milliseconds(200) : milliseconds(5000);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval, [this] { return stopped_; })) draw();
}

void ProgressDisplay::draw() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  std::string line = progress_line(progress_, seconds, time_left_.update(progress_, seconds));
  if (style_ == ProgressStyle::kPlainLines) {
    std::fprintf(stderr, "%s\n", line.c_str());
    return;
  }
  line = line.substr(0, terminal_columns() - 1);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressDisplay::erase() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void ProgressDisplay::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  erase();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void ProgressDisplay::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    stopped_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  erase();
  std::fflush(stderr);
}

}  // namespace spillway
