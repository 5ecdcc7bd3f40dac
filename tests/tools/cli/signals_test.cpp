#include "tools/cli/signals.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/places.hpp"
#include "tests/support/running_program.hpp"
#include "tests/support/scratch_directory.hpp"

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
  std::raise(SIGHUP);
  EXPECT_EQ(received_signal(), SIGTERM);
  try {
    interruption_check(received_signal())();
    FAIL() << "nothing was thrown";
  } catch (const InterruptedError& error) {
    EXPECT_EQ(error.code(), ExitCode::kTerminated);
    EXPECT_EQ(error.signal_number(), SIGTERM);
  }
  std::atomic<int> interrupt{SIGINT};
  EXPECT_THROW(throw_if_interrupted(interrupt), InterruptedError);
  received_signal() = 0;
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) std::signal(number, SIG_DFL);
}

using SignalsDeathTest = ::testing::Test;

TEST_F(SignalsDeathTest, ALaterOneEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto signal_twice = [](std::int64_t patience_ms) {
    install_signal_handlers(patience_ms);
    std::raise(SIGINT);
    std::raise(SIGTERM);
    std::exit(7);
  };
  EXPECT_EXIT(signal_twice(0), ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(signal_twice(1'000'000'000), ::testing::ExitedWithCode(7), "");
}

TEST_F(SignalsDeathTest, TheProgramEndsByTheSignalEvenIfItIsBlocked) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end = [](int number) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    install_signal_handlers();
    end_by_signal(number);
  };
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    EXPECT_EXIT(end(number), ::testing::KilledBySignal(number), "");
}

// nohup, and programs that a shell script starts in the background.
class IgnoredSignals : public ::testing::TestWithParam<std::pair<int, const char*>> {};

TEST_P(IgnoredSignals, DoNotStopAJob) {
  const auto& [number, name] = GetParam();
  const testing::ScratchDirectory scratch;
  testing::RunningProgram program({"/bin/sh", "-c", std::string("trap '' ") + name + "; exec \"$@\"", "sh",
                                   testing::program_path(), "index", "-", "--format", "lines", "-o", scratch / "out"},
                                  scratch / "errors");
  program.write_input("a line\n");
  program.wait_until_input_is_read();
  program.signal(number);
  program.write_input("another line\n");
  program.close_input();
  EXPECT_EQ(program.wait().exit_code, 0) << read_file(posix_file_system(), scratch / "errors");
  EXPECT_TRUE(posix_file_system().status(scratch / "out/manifest"));
}

INSTANTIATE_TEST_SUITE_P(Of, IgnoredSignals,
                         ::testing::Values(std::pair{SIGINT, "INT"}, std::pair{SIGTERM, "TERM"},
                                           std::pair{SIGHUP, "HUP"}),
                         [](const auto& tested) { return std::string(tested.param.second); });

}  // namespace
}  // namespace spillway
