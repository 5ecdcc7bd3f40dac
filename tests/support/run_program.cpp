#include "tests/support/run_program.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "tests/support/places.hpp"

namespace spillway::testing {

namespace {

// A nameless file: unlike a pipe, it never blocks the program.
struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, FileCloser>;

TemporaryFile temporary_file() {
  TemporaryFile file(std::tmpfile());
  if (!file) throw std::runtime_error("tmpfile failed");
  return file;
}

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[65536];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, got);
  return text;
}

std::vector<char*> arguments_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

// Requires: this is the child's process.
[[noreturn]] void execute(const std::vector<char*>& arguments, const std::vector<std::string>& environment) {
  set_default_signals();
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  execv(arguments[0], arguments.data());
  _exit(127);
}

ProgramEnd end_of(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  return program_end(status);
}

// Returns the writing end of a pipe whose reading end is closed.
int closed_pipe() {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
  close(ends[0]);
  return ends[1];
}

std::vector<std::string> preloaded(const std::string& setting) {
  // A sanitizer's library wants to be the first one.
  return {"LD_PRELOAD=" + signal_at_call_path(), "ASAN_OPTIONS=verify_asan_link_order=0", setting};
}

// VmHWM of a process that has not given its memory back yet.
std::size_t peak_resident_bytes_of(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  std::string word;
  std::size_t kibibytes = 0;
  while (status >> word) {
    if (word == "VmHWM:") status >> kibibytes;
  }
  return kibibytes << 10;
}

// Waits for a child that asked to be traced, and reads its peak when it is about to exit. The maximum that wait4()
// reports would do, but it counts the memory that this process had when it forked.
ProgramEnd end_of_traced(pid_t child, std::size_t& peak) {
  constexpr int kExits = SIGTRAP | (PTRACE_EVENT_EXIT << 8);
  int status = 0;
  bool has_options = false;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    int signal = WSTOPSIG(status);
    if (!has_options) {  // the stop after exec
      has_options = ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL) == 0;
      signal = 0;
    } else if (status >> 8 == kExits) {
      peak = peak_resident_bytes_of(child);
      signal = 0;
    }
    ptrace(PTRACE_CONT, child, nullptr, signal);
  }
  return program_end(status);
}

// Requires: this is the child's process.
void apply(const ProgramSetting& setting) {
  for (const ResourceLimit& limit : setting.limits) {
    const rlimit both{limit.value, limit.value};
    if (setrlimit(static_cast<__rlimit_resource>(limit.resource), &both) != 0) _exit(126);
  }
  if (setting.measure_memory) ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
}

}  // namespace

void set_default_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(number, SIG_DFL);
}

ProgramEnd program_end(int wait_status) {
  if (WIFEXITED(wait_status)) return {WEXITSTATUS(wait_status), 0};
  return {-1, WTERMSIG(wait_status)};
}

ProgramResult run_program(const std::vector<std::string>& words, const ProgramSetting& setting) {
  const TemporaryFile in = temporary_file(), out = temporary_file(), err = temporary_file();
  std::fwrite(setting.input.data(), 1, setting.input.size(), in.get());
  std::rewind(in.get());
  int out_descriptor = fileno(out.get());
  if (setting.close_out) out_descriptor = closed_pipe();
  if (!setting.out_path.empty()) out_descriptor = open(setting.out_path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (out_descriptor < 0) throw std::runtime_error("cannot open " + setting.out_path);
  const std::vector<char*> arguments = arguments_of(words);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    dup2(fileno(in.get()), STDIN_FILENO);
    dup2(out_descriptor, STDOUT_FILENO);
    dup2(fileno(err.get()), STDERR_FILENO);
    apply(setting);
    execute(arguments, setting.environment);
  }
  if (out_descriptor != fileno(out.get())) close(out_descriptor);
  std::size_t peak = 0;
  const ProgramEnd end = setting.measure_memory ? end_of_traced(child, peak) : end_of(child);
  return {end, contents(out.get()), contents(err.get()), peak};
}

ProgramResult run_on_terminal(const std::vector<std::string>& words, const TerminalSetting& setting) {
  termios raw{};
  cfmakeraw(&raw);  // bytes arrive as the program wrote them
  const winsize size{24, setting.columns, 0, 0};
  std::vector<std::string> environment{"TERM=xterm", "NO_COLOR=", "COLUMNS="};
  environment.insert(environment.end(), setting.environment.begin(), setting.environment.end());
  const std::vector<char*> arguments = arguments_of(words);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, &raw, &size);
  if (child < 0) throw std::runtime_error("forkpty failed");
  if (child == 0) execute(arguments, environment);
  ProgramResult result;
  char piece[65536];
  for (ssize_t got; (got = read(terminal, piece, sizeof piece)) > 0;)
    result.out.append(piece, static_cast<std::size_t>(got));
  close(terminal);
  static_cast<ProgramEnd&>(result) = end_of(child);
  return result;
}

ProgramResult run_spillway(std::vector<std::string> words, const ProgramSetting& setting) {
  words.insert(words.begin(), program_path());
  return run_program(words, setting);
}

ProgramResult run_spillway_with_signal(const std::vector<std::string>& words, const SignalAt& at) {
  const std::string moment = at.function + " " + std::to_string(at.number) + " " + std::to_string(at.signal);
  return run_spillway(words, {.environment = preloaded("SPILLWAY_SIGNAL_AT=" + moment)});
}

std::uint64_t count_file_operations(const std::vector<std::string>& words) {
  const TemporaryFile counted = temporary_file();
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fileno(counted.get()));
  const ProgramResult result = run_spillway(words, {.environment = preloaded("SPILLWAY_CALLS_TO=" + path)});
  if (result.exit_code != 0) throw std::runtime_error("the program failed: " + result.err);
  return std::stoull(contents(counted.get()));
}

}  // namespace spillway::testing
