// Runs a program to its end and keeps its output: how tests check exit codes and messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spillway::testing {

// How a program ended: by exiting, or by a signal.
struct ProgramEnd {
  int exit_code = -1;  // -1 if a signal ended it
  int signal = 0;      // 0 if it exited
};
ProgramEnd program_end(int wait_status);
// For a child process: whatever started the test, the signals that stop a program are not ignored.
void set_default_signals();

struct ProgramResult : ProgramEnd {
  std::string out, err;
  std::size_t peak_resident_bytes = 0;  // with measure_memory; 0 where the system does not let a test measure it
};

struct ResourceLimit {
  int resource;  // RLIMIT_NOFILE, ...
  std::size_t value;
};

struct ProgramSetting {
  std::string input = {};                     // standard input
  std::string out_path = {};                  // if set, standard output goes to this file instead of ProgramResult::out
  bool close_out = false;                     // standard output is a pipe without a reader
  std::vector<std::string> environment = {};  // additional NAME=VALUE
  std::vector<ResourceLimit> limits = {};
  bool measure_memory = false;
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

// The program under test, which signals itself at the call number `number`, from 0, of `function` ("any": of all file
// operations; tests/support/preload/signal_at_call.cpp lists them). It ends by itself if there are fewer calls.
struct SignalAt {
  std::string function;
  std::uint64_t number;
  int signal;
};
ProgramResult run_spillway_with_signal(const std::vector<std::string>& words, const SignalAt& at);

// The number of file operations of the program under test. Throws std::runtime_error if it does not exit with 0.
std::uint64_t count_file_operations(const std::vector<std::string>& words);

}  // namespace spillway::testing
