#include "tests/support/running_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace spillway::testing {

RunningProgram::RunningProgram(const std::vector<std::string>& words, const std::string& error_path) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  const int errors = open(error_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  process_ = errors < 0 ? -1 : fork();
  if (process_ == 0) {
    set_default_signals();
    dup2(ends[0], STDIN_FILENO);
    dup2(errors, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[0]);
  if (errors >= 0) close(errors);
  input_ = ends[1];
  if (process_ < 0) {
    close(input_);
    throw std::runtime_error("cannot start " + words[0]);
  }
}

RunningProgram::~RunningProgram() {
  close_input();
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  wait();
}

void RunningProgram::write_input(const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = write(input_, bytes.data() + at, bytes.size() - at);
    if (written <= 0) throw std::runtime_error("the program does not read its input");
    at += static_cast<std::size_t>(written);
  }
}

void RunningProgram::wait_until_input_is_read() {
  for (int left = 1; left != 0 && !has_ended(); std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    if (ioctl(input_, FIONREAD, &left) != 0) throw std::runtime_error("ioctl failed");
  }
}

void RunningProgram::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

void RunningProgram::signal(int number) const {
  if (process_ > 0) kill(process_, number);
}

bool RunningProgram::has_ended() {
  if (process_ <= 0) return true;
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return false;
  end_ = program_end(status);
  process_ = -1;
  return true;
}

ProgramEnd RunningProgram::wait() {
  if (process_ <= 0) return end_;
  int status = 0;
  if (waitpid(process_, &status, 0) != process_) throw std::runtime_error("waitpid failed");
  end_ = program_end(status);
  process_ = -1;
  return end_;
}

}  // namespace spillway::testing
