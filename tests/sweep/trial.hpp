// Tries points of one scenario, each from the same start, and says what is wrong with the end: its code and words, the
// index at the output, what else is left, and what the next job makes of it.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "tests/sweep/point.hpp"
#include "tests/sweep/program.hpp"

namespace spillway::sweep {

class Trial {
 public:
  // Runs the scenario below `root` with nothing failing. Throws std::runtime_error if that does not succeed.
  Trial(Scenario scenario, const std::string& root);

  const PointSpace& points() const { return *points_; }
  const std::vector<Event>& calls() const { return events_; }  // of the good run
  const Requests& requests() const { return requests_; }       // likewise
  // Returns what is wrong; empty if nothing is.
  std::string run(const Point& point);

 private:
  void prepare();
  // How the program ends without a fault: of several runs, the one with the fewest calls, which all are likely to make.
  ProgramEnd usual_end();
  std::vector<std::string> next_words(const Tree& tree) const;
  bool makes_index() const { return !scenario_.output.empty(); }
  std::string crash(const Point& point, const std::vector<Event>& events, std::size_t crash_at);
  std::string fault(Point point);
  std::string fault_then_crash(const Point& point);
  std::string judge(Point point, const ProgramEnd& end, const Tree& found);
  std::string judge_success(const Point& point, const ProgramEnd& end, const Tree& found);
  std::string judge_error(const Point& point, const ProgramEnd& end, const Tree& found);
  std::string judge_words(const Point& point, const ProgramEnd& end) const;
  std::string judge_output(const Tree& found) const;
  std::string judge_sort_output(const Tree& left, bool is_kill) const;
  bool is_left_output(const std::string& path) const;  // under the name that it has before the rename
  std::string judge_rest(const Point& point, const Tree& found) const;
  std::string next_job(const Tree& found, const Point& point);
  std::string verify_finds_damage();

  Scenario scenario_;
  Program program_;
  Tree start_, end_;  // what is there before and after a good run
  Tree old_index_, new_index_;
  std::string out_;  // what a good run prints
  std::vector<Event> events_;
  Requests requests_ = {};
  std::unique_ptr<PointSpace> points_;
  std::map<std::size_t, std::string> crashes_;  // what was found, by the hash of what the crash left
};

}  // namespace spillway::sweep
