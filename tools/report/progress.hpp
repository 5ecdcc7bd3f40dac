// Shows the progress of a job on standard error, from its own thread: on a terminal one line, redrawn 5 times a second;
// elsewhere, with --progress, a plain line every 5 seconds.
#pragma once

#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "indexer/options/job_context.hpp"
#include "tools/report/time_left.hpp"

namespace spillway {

enum class ProgressStyle { kNone, kPlainLines, kRedrawn };

// kRedrawn on a terminal that redraws lines (tools/cli/terminal.hpp); elsewhere kPlainLines if `wanted`.
ProgressStyle progress_style(bool wanted, bool quiet);

// The progress line. `seconds`: since the job's start; `left`: estimated seconds to its end, if known. A line that is
// longer than `columns` loses runs, rate, documents and amounts, in this order; stage, share and `left` stay.
std::string progress_line(const IndexProgress& progress, double seconds, std::optional<double> left,
                          std::size_t columns = std::numeric_limits<std::size_t>::max());

class ProgressDisplay {
 public:
  // `progress` must outlive this.
  ProgressDisplay(const IndexProgress& progress, ProgressStyle style);
  ~ProgressDisplay() { stop(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // Prints a line, or several, above the progress line, with what a terminal would obey escaped. Thread-safe.
  void say(const std::string& line);
  // Ends the thread and erases the progress line. Idempotent.
  void stop();

 private:
  void run();
  void draw();   // requires mutex_
  void erase();  // requires mutex_

  const IndexProgress& progress_;
  ProgressStyle style_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::size_t drawn_columns_ = 0;  // of the line that stands on the terminal
  TimeLeft time_left_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::thread thread_;
};

}  // namespace spillway
