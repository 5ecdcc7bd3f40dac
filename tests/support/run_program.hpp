// Runs a program to its end and keeps what it wrote: how tests see exit codes and messages.
#pragma once

#include <string>
#include <vector>

namespace spillway::testing {

struct ProgramResult {
  int exit_code = -1;  // 128 + signal if it was killed
  std::string out, err;
};

struct ProgramSetting {
  std::string input = {};                     // its standard input
  std::string out_path = {};                  // its standard output goes there instead of to ProgramResult::out
  bool close_out = false;                     // its standard output is a pipe that nobody reads
  std::vector<std::string> environment = {};  // NAME=VALUE, added
};

// words[0] is the program. Throws std::runtime_error if it cannot be started.
ProgramResult run_program(const std::vector<std::string>& words, const ProgramSetting& setting = {});

// The program under test.
ProgramResult run_spillway(std::vector<std::string> words, const ProgramSetting& setting = {});

}  // namespace spillway::testing
