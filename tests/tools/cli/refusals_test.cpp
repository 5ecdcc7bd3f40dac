// The program says what to do where the system refuses something to a command.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <system_error>

#include "io/file/posix_file_system.hpp"
#include "tools/cli/command_line.hpp"

namespace spillway {
namespace {

Command without_threads(const std::string& name) {
  Command command;
  command.name = name;
  command.run_words = [](const Command&, const std::vector<std::string>&, Session&) -> ExitCode {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  };
  return command;
}

std::string message_of(const std::vector<std::string>& words, bool is_called_sort) {
  Output out(STDOUT_FILENO, "standard output");
  std::atomic<int> signal_number{0};
  Session session{posix_file_system(), out, signal_number, is_called_sort};
  ::testing::internal::CaptureStderr();
  const int code = run_command_line(words, {without_threads("sort"), without_threads("index")}, session);
  EXPECT_EQ(code, 2);
  return ::testing::internal::GetCapturedStderr();
}

TEST(Refusals, OfThreadsNameTheOptionOfTheCommand) {
  EXPECT_NE(message_of({"index"}, false).find("give fewer --threads"), std::string::npos);
  EXPECT_NE(message_of({"sort"}, false).find("give fewer --parallel"), std::string::npos);
  EXPECT_NE(message_of({"sort"}, true).find("give fewer --parallel"), std::string::npos);
}

}  // namespace
}  // namespace spillway
