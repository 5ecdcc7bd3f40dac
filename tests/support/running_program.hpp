// A program that runs beside the test, which can signal or kill it and controls its standard input.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace spillway::testing {

class RunningProgram {
 public:
  // words[0] is the program. Its standard input is a pipe that stays open until close_input(); its standard error goes
  // to `error_path`. Throws std::runtime_error if it cannot be started.
  RunningProgram(const std::vector<std::string>& words, const std::string& error_path);
  ~RunningProgram();  // kills it
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t id() const { return process_; }        // -1 after its end was seen
  void write_input(const std::string& bytes);  // waits while the pipe is full
  // Returns when the program has taken all that was written, or has ended: it is at work then, or waits for more.
  void wait_until_input_is_read();
  void close_input();
  void signal(int number) const;
  bool has_ended();
  ProgramEnd wait();

 private:
  pid_t process_ = -1;
  int input_ = -1;
  ProgramEnd end_;
};

}  // namespace spillway::testing
