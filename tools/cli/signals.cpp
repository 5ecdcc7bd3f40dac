#include "tools/cli/signals.hpp"

#include <time.h>

#include <csignal>
#include <cstdint>

#include "io/base/error.hpp"

namespace spillway {

namespace {

// Further signals within this time are ignored: the terminal and each program between it and this one may send one.
constexpr std::int64_t kPatienceMs = 1000;

std::atomic<int> first_signal{0};
std::atomic<std::int64_t> first_ms{INT64_MAX};  // until it is set, no signal counts as late
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free,
              "signal handlers may touch lock-free atomics only");

std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

extern "C" void remember_signal(int number) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, number)) {
    first_ms = now_ms();
  } else if (now_ms() - first_ms >= kPatienceMs) {
    std::signal(number, SIG_DFL);
    std::raise(number);  // delivered when this handler returns
  }
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
