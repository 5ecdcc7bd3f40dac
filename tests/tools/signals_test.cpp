#include "tools/signals.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "io/error.hpp"

namespace spillway {
namespace {

TEST(Signals, TheFirstOneCountsAndBecomesTheExitCode) {
  install_signal_handlers();
  throw_if_interrupted(received_signal());
  std::raise(SIGPIPE);
  std::raise(SIGXFSZ);
  EXPECT_EQ(received_signal(), 0);
  std::raise(SIGTERM);
  std::raise(SIGINT);
  EXPECT_EQ(received_signal(), SIGTERM);
  try {
    throw_if_interrupted(received_signal());
    FAIL() << "nothing was thrown";
  } catch (const InterruptedError& error) {
    EXPECT_EQ(error.code(), ExitCode::kTerminated);
  }
  std::atomic<int> interrupt{SIGINT};
  EXPECT_THROW(throw_if_interrupted(interrupt), InterruptedError);
  received_signal() = 0;
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace
}  // namespace spillway
