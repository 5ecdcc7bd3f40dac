// Shows how far an indexing job is, on standard error, from a thread of its own: on a terminal one line redrawn in
// place, elsewhere (if wanted at all) a plain line every few seconds.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "indexer/options/job_context.hpp"
#include "tools/report/time_left.hpp"

namespace spillway {

enum class ProgressStyle { kNone, kPlainLines, kRedrawn };

// kRedrawn on a terminal (TERM=dumb aside), kPlainLines elsewhere if `wanted`.
ProgressStyle progress_style(bool wanted, bool quiet);

// A moment of a job in words; pure, for tests. `seconds` since its start; `left` of the whole job, where there is a
// telling.
std::string progress_line(const IndexProgress& progress, double seconds, std::optional<double> left);

class ProgressDisplay {
 public:
  // `progress` lives longer.
  ProgressDisplay(const IndexProgress& progress, ProgressStyle style);
  ~ProgressDisplay() { stop(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // A line of words that does not collide with the progress line. Thread-safe.
  void say(const std::string& line);
  // Ends the thread and takes the redrawn line away. Idempotent.
  void stop();

 private:
  void run();
  void draw();   // with mutex_ held
  void erase();  // likewise

  const IndexProgress& progress_;
  ProgressStyle style_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  bool drawn_ = false;
  TimeLeft time_left_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::thread thread_;
};

}  // namespace spillway
