// Runs a program to its end and keeps its output: how tests check exit codes and messages.
#pragma once

#include <string>
#include <vector>

namespace spillway::testing {

struct ProgramResult {
  int exit_code = -1;  // 128 + signal if it was killed
  std::string out, err;
};

struct ProgramSetting {
  std::string input = {};                     // standard input
  std::string out_path = {};                  // if set, standard output goes to this file instead of ProgramResult::out
  bool close_out = false;                     // standard output is a pipe without a reader
  std::vector<std::string> environment = {};  // additional NAME=VALUE
};

// words[0] is the program. Throws std::runtime_error if it cannot be started.
ProgramResult run_program(const std::vector<std::string>& words, const ProgramSetting& setting = {});

struct TerminalSetting {
  unsigned short columns = 80;                // 0: the terminal does not tell
  std::vector<std::string> environment = {};  // additional NAME=VALUE
};

// Runs a program whose standard input, output and error are a new terminal of type xterm. `out` has all that it wrote
// there.
ProgramResult run_on_terminal(const std::vector<std::string>& words, const TerminalSetting& setting = {});

// The program under test.
ProgramResult run_spillway(std::vector<std::string> words, const ProgramSetting& setting = {});

}  // namespace spillway::testing
