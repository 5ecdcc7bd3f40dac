#include "tests/sweep/program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "io/file/posix_file_system.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/commands/commands.hpp"

namespace spillway::sweep {

namespace {

int memory_file(const char* name) {
  const int descriptor = memfd_create(name, MFD_CLOEXEC);
  if (descriptor < 0) throw std::runtime_error("no memory file");
  return descriptor;
}

// What was written to the file, which is then empty.
std::string take(int descriptor) {
  std::string text(static_cast<std::size_t>(lseek(descriptor, 0, SEEK_END)), '\0');
  const ssize_t got = pread(descriptor, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (ftruncate(descriptor, 0) != 0) throw std::runtime_error("cannot empty a memory file");
  lseek(descriptor, 0, SEEK_SET);
  return text;
}

std::vector<std::string> with_root(std::vector<std::string> words, const std::string& root) {
  for (std::string& word : words) {
    if (const auto at = word.find("%/"); at != std::string::npos) word.replace(at, 1, root);
  }
  return words;
}

int run_observed(const std::vector<std::string>& words, const Faults& faults, Observer& observer) {
  constexpr int out = STDOUT_FILENO;
  std::atomic<int> signal_number{0};
  Output output(out, kStandardOutput);
  Session session{posix_file_system(), output, signal_number};
  const auto commands = all_commands();
  observer.add_stream(out, kStandardOutput);
  observe_calls(&observer);
  count_requests(faults.refusal);
  return run_command_line(words, commands, session);
}

}  // namespace

Program::Program(std::string root)
    : root_(std::move(root)),
      out_(memory_file("out")),
      err_(memory_file("err")),
      true_out_(dup(STDOUT_FILENO)),
      true_err_(dup(STDERR_FILENO)) {
  dup2(out_, STDOUT_FILENO);
  dup2(err_, STDERR_FILENO);
}

Program::~Program() {
  dup2(true_out_, STDOUT_FILENO);
  dup2(true_err_, STDERR_FILENO);
  for (const int descriptor : {out_, err_, true_out_, true_err_}) close(descriptor);
}

void Program::append_output(bool appends) const {
  if (fcntl(out_, F_SETFL, appends ? O_APPEND : 0) != 0) throw std::runtime_error("cannot change a memory file");
}

ProgramEnd Program::run(const std::vector<std::string>& words, const Faults& faults) {
  Observer observer(root_);
  for (const Fault& fault : faults.calls) observer.fail(fault);
  const std::vector<std::string> all_words = with_root(words, root_);
  ProgramEnd end;
  end.code = run_observed(all_words, faults, observer);
  end.requests = end_count();
  observe_calls(nullptr);
  end.out = take(out_);
  end.err = take(err_);
  end.events = observer.take_events();
  end.failed_paths = observer.failed_paths();
  end.left_open = observer.open_paths();
  for (std::size_t i = 0; i < faults.calls.size(); ++i) end.fired.push_back(observer.faults_fired(i));
  return end;
}

}  // namespace spillway::sweep
