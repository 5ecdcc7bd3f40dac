// Errors that end an operation, each with the exit code that the command line returns for it. A message names the path,
// the offset, what was expected, what was found and a remedy. Text from outside goes through `printable` first.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace spillway {

enum class ExitCode : int {
  kDone = 0,
  kBadIndex = 1,       // `verify`: the index is bad
  kUsageOrIo = 2,      // usage or I/O error
  kBadInput = 3,       // more bad input than --max-error-rate allows
  kOverBudget = 4,     // out of memory or disk budget
  kCorrupt = 5,        // a file is corrupt or of another version
  kNoGpu = 6,          // --require-gpu and no usable GPU
  kReportFailed = 7,   // `index`, `merge`: the index is complete, but its report could not be written
  kHungUp = 129,       // 128 + a signal's number: the program ends by the signal, and a shell shows this; SIGHUP
  kInterrupted = 130,  // SIGINT
  kPipeClosed = 141,   // SIGPIPE
  kTerminated = 143    // SIGTERM
};

// Exit codes above this one stand for signals.
inline constexpr int kSignalExit = 128;

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

struct IoError : Error {
  explicit IoError(const std::string& message) : Error(ExitCode::kUsageOrIo, message) {}
};
struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(ExitCode::kUsageOrIo, message) {}
};
struct InputError : Error {
  explicit InputError(const std::string& message) : Error(ExitCode::kBadInput, message) {}
};
struct BudgetError : Error {
  explicit BudgetError(const std::string& message) : Error(ExitCode::kOverBudget, message) {}
};
struct FormatError : Error {
  explicit FormatError(const std::string& message) : Error(ExitCode::kCorrupt, message) {}
};
// A signal ends the work; so does a pipe without a reader, as SIGPIPE would.
class InterruptedError : public Error {
 public:
  explicit InterruptedError(int signal_number, const std::string& message = "interrupted")
      : Error(static_cast<ExitCode>(kSignalExit + signal_number), message), signal_number_(signal_number) {}
  int signal_number() const { return signal_number_; }

 private:
  int signal_number_;
};

// Returns `text` with control characters (C0, C1, DEL), bidirectional controls and broken UTF-8 written as \xNN or
// \u{NNNN}. Output longer than `max_bytes` is cut and ends with "...". Safe to print on a terminal.
std::string printable(std::string_view text, std::size_t max_bytes = 200);

}  // namespace spillway
