// Runs a command of the program in this process, observed.
#pragma once

#include <string>
#include <vector>

#include "tests/sweep/observer.hpp"
#include "tests/sweep/requests.hpp"

namespace spillway::sweep {

constexpr const char* kStandardOutput = "standard output";  // as events and messages call it

// What is made to fail.
struct Faults {
  std::vector<Fault> calls;
  Refusal refusal = {};
};

struct ProgramEnd {
  int code = 0;
  std::string out, err;
  std::vector<Event> events;
  std::vector<std::string> failed_paths;  // one a call that failed
  std::vector<std::string> left_open;
  std::vector<std::uint64_t> fired;  // for each of the calls
  Requests requests = {};
};

class Program {
 public:
  // Takes over standard output and error. `root`: the directory that is observed.
  explicit Program(std::string root);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const std::string& root() const { return root_; }
  // Whether standard output takes bytes only at its end, as `>>` leaves it.
  void append_output(bool appends) const;
  ProgramEnd run(const std::vector<std::string>& words, const Faults& faults = {});

 private:
  std::string root_;
  int out_, err_, true_out_, true_err_;
};

}  // namespace spillway::sweep
