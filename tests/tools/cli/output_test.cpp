#include "tools/cli/output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include "io/base/error.hpp"
#include "io/file/file_system.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {
namespace {

TEST(Output, WritesEverythingInOrder) {
  const testing::ScratchDirectory scratch;
  const int descriptor = open((scratch / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  std::string expected;
  Output out(descriptor, "out");
  for (int i = 0; i < 1000; ++i) {
    const std::string fragment(static_cast<std::size_t>(i * 37 % 70000), static_cast<char>('a' + i % 26));
    out.write(fragment);
    expected += fragment;
  }
  out.flush();
  close(descriptor);
  EXPECT_TRUE(read_file(posix_file_system(), scratch / "out") == expected);
}

TEST(Output, NamesAFullDevice) {
  const int descriptor = open("/dev/full", O_WRONLY);
  if (descriptor < 0) GTEST_SKIP() << "no /dev/full here";
  Output out(descriptor, "standard output");
  out.write("x");
  try {
    out.flush();
    FAIL() << "nobody noticed";
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("standard output"), std::string::npos);
  }
  close(descriptor);
}

// The reader sleeps; the signal arrives on a thread that does not write.
TEST(Output, AFullPipeIsLeftWhenASignalComes) {
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Output out(ends[1], "a pipe");
  std::thread later([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    received_signal() = SIGINT;
  });
  EXPECT_THROW(out.write(std::string(1 << 20, 'x')), InterruptedError);
  later.join();
  received_signal() = 0;
  close(ends[0]);
  EXPECT_THROW(out.write(std::string(1 << 20, 'x')), InterruptedError) << "nobody reads";
  close(ends[1]);
  std::signal(SIGPIPE, old_handler);
}

TEST(PrintMessage, IsOneLineThatATerminalDoesNotObey) {
  ::testing::internal::CaptureStderr();
  print_message("a\x1B[1m\r\nb\xC2\x9B\x7F\xFF");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "spillway: a\\x1B[1m\\x0D\\x0Ab\\x9B\\x7F\\xFF\n");
}

TEST(Output, WritesAllToAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string expected = [] {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += std::to_string(i);
    return text;
  }();
  std::string found;
  std::thread reader([&] {
    std::array<char, 777> fragment{};
    for (ssize_t got = 0; (got = read(ends[0], fragment.data(), fragment.size())) > 0;) {
      found.append(fragment.data(), static_cast<std::size_t>(got));
    }
  });
  Output out(ends[1], "a pipe");
  out.write(expected);
  out.write("end");
  out.flush();
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_TRUE(found == expected + "end");
}

}  // namespace
}  // namespace spillway
