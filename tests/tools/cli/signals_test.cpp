#include "tools/cli/signals.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "io/base/error.hpp"

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

using SignalsDeathTest = ::testing::Test;

TEST_F(SignalsDeathTest, ALaterOneEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto signal_twice = [](int milliseconds) {
    install_signal_handlers();
    std::raise(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    std::raise(SIGTERM);
    std::exit(7);
  };
  EXPECT_EXIT(signal_twice(1100), ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(signal_twice(0), ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace spillway
