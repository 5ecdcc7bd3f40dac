#include "tools/signals.hpp"

#include <csignal>

#include "io/error.hpp"

namespace spillway {

namespace {

std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers may touch lock-free atomics only");

extern "C" void remember_signal(int number) {
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
}

}  // namespace

std::atomic<int>& received_signal() { return first_signal; }

void install_signal_handlers() {
  struct sigaction remember = {};
  remember.sa_handler = remember_signal;  // without SA_RESTART: a blocked read returns
  sigemptyset(&remember.sa_mask);
  sigaction(SIGINT, &remember, nullptr);
  sigaction(SIGTERM, &remember, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

void throw_if_interrupted(const std::atomic<int>& signal_number) {
  if (const int number = signal_number.load(std::memory_order_relaxed)) throw InterruptedError(number);
}

}  // namespace spillway
