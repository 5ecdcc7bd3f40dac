#include "tools/cli/signals.hpp"

#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "io/base/error.hpp"

namespace spillway {

namespace {

std::atomic<int> first_signal{0};
std::atomic<std::int64_t> first_ms{INT64_MAX};  // until it is set, no signal counts as late
std::atomic<std::int64_t> patience{kSignalPatienceMs};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "signal handlers may touch lock-free atomics only");
bool pipe_was_ignored = false;

std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

extern "C" void remember_signal(int number) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, number)) {
    first_ms = now_ms();
  } else if (now_ms() - first_ms >= patience) {
    std::signal(number, SIG_DFL);
    std::raise(number);  // delivered when this handler returns
  }
}

bool is_ignored(int number) {
  struct sigaction before = {};
  return sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
}

}  // namespace

std::atomic<int>& received_signal() { return first_signal; }

void install_signal_handlers(std::int64_t patience_ms) {
  patience = patience_ms;
  struct sigaction remember = {};
  remember.sa_handler = remember_signal;  // without SA_RESTART: a blocked read returns
  sigemptyset(&remember.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(number)) sigaction(number, &remember, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
  pipe_was_ignored = is_ignored(SIGPIPE);
  std::signal(SIGPIPE, SIG_IGN);
}

void throw_if_interrupted(const std::atomic<int>& signal_number) {
  if (const int number = signal_number.load(std::memory_order_relaxed)) throw InterruptedError(number);
}

void end_with_parent() {
  const char* const named = std::getenv("SPILLWAY_PARENT");
  const pid_t parent = named == nullptr ? 0 : static_cast<pid_t>(std::strtol(named, nullptr, 10));
  if (parent <= 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // A script may stand between both, unless that has ended, too.
  const bool has_ended = getppid() != parent && (getppid() == 1 || kill(parent, 0) != 0);
  if (has_ended) std::raise(SIGTERM);
}

std::function<void()> interruption_check(const std::atomic<int>& signal_number) {
  return [&signal_number] { throw_if_interrupted(signal_number); };
}

bool ends_by_closed_pipe() { return !pipe_was_ignored; }

void end_by_signal(int number) {
  std::signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(number);
  _exit(kSignalExit + number);  // the first process of a container does not end by signals
}

}  // namespace spillway
