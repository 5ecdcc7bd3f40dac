#include "tools/report/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "tools/cli/terminal.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

namespace {

using std::chrono::milliseconds;

// How far a job is: "744 MB of 1.20 GB (62.0 %)" and "62.0 %".
struct Done {
  std::string amount, share;
};

Done done_so_far(const IndexProgress& progress) {
  if (const std::uint64_t postings = progress.postings_total.load(); postings > 0) {
    const std::string share = percent_text(progress.postings_done.load(), postings);
    return {share + " of " + count_text(postings) + " " + progress.postings_name, share};
  }
  const std::uint64_t done = progress.bytes_done.load(), total = progress.bytes_total.load();
  if (total == 0) return {bytes_text(done), bytes_text(done)};
  const std::string share = percent_text(done, total);
  return {bytes_text(done) + " of " + bytes_text(total) + " (" + share + ")", share};
}

std::string left_text(double left) {
  return (left < 120 ? count_text(static_cast<std::uint64_t>(left) + 1) + " s" : seconds_text(left)) + " left";
}

// Parts of the progress line after the stage. Those that are empty are left out.
struct LineParts {
  std::string done, rate, documents, runs, left;

  std::string line(const std::string& stage) const {
    std::string text = stage + ": " + done;
    for (const std::string* part : {&rate, &documents, &runs, &left}) text += part->empty() ? "" : ", " + *part;
    return text;
  }
};

}  // namespace

ProgressStyle progress_style(bool wanted, bool quiet) {
  if (quiet) return ProgressStyle::kNone;
  if (redraws_lines(STDERR_FILENO)) return ProgressStyle::kRedrawn;
  return wanted ? ProgressStyle::kPlainLines : ProgressStyle::kNone;
}

std::string progress_line(const IndexProgress& progress, double seconds, std::optional<double> left,
                          std::size_t columns) {
  const std::string stage = progress.stage.load();
  const Done done = done_so_far(progress);
  LineParts parts{done.amount, "", count_text(progress.documents.load()) + " " + progress.documents_name, "", ""};
  if (progress.postings_total.load() == 0) parts.rate = rate_text(progress.bytes_done.load(), seconds);
  if (const std::uint64_t runs = progress.runs.load()) parts.runs = count_text(runs) + (runs == 1 ? " run" : " runs");
  if (left) parts.left = left_text(*left);
  for (std::string* least : {&parts.runs, &parts.rate, &parts.documents}) {
    if (parts.line(stage).size() > columns) least->clear();
  }
  if (parts.line(stage).size() > columns) parts.done = done.share;
  return parts.line(stage).substr(0, columns);
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
  const std::optional<double> left = time_left_.update(progress_, seconds);
  if (style_ == ProgressStyle::kPlainLines) {
    std::fprintf(stderr, "%s\n", progress_line(progress_, seconds, left).c_str());
    return;
  }
  // A line as wide as the terminal would move its cursor to the next one.
  const std::size_t columns = terminal_columns(STDERR_FILENO) - 1;
  const std::string line = progress_line(progress_, seconds, left, columns);
  std::fprintf(stderr, "\r%s", left_aligned(line, std::min(drawn_columns_, columns)).c_str());
  std::fflush(stderr);
  drawn_columns_ = line.size();
}

// Overwrites the line with blanks, which every terminal understands.
void ProgressDisplay::erase() {
  if (drawn_columns_ > 0) std::fprintf(stderr, "\r%s\r", std::string(drawn_columns_, ' ').c_str());
  drawn_columns_ = 0;
}

void ProgressDisplay::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  erase();
  std::fprintf(stderr, "%s\n", printable_lines(line).c_str());
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
