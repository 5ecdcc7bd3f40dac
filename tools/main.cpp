#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/file/posix_file_system.hpp"
#include "io/memory/limits.hpp"
#include "tools/cli/command_line.hpp"
#include "tools/cli/signals.hpp"
#include "tools/cli/standard_streams.hpp"
#include "tools/commands/commands.hpp"

int main(int argc, char** argv) {
  spillway::fill_standard_streams();  // before anything is opened
  spillway::share_malloc_arena_in_limited_space();
  spillway::install_signal_handlers();
  spillway::end_with_parent();
  spillway::Output out(STDOUT_FILENO, "standard output");
  spillway::Session session{spillway::posix_file_system(), out, spillway::received_signal()};
  std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  session.is_called_sort = argc > 0 && std::filesystem::path(argv[0]).filename() == "sort";
  if (session.is_called_sort) words.insert(words.begin(), "sort");
  const int code = spillway::run_command_line(words, spillway::all_commands(), session);
  if (code > spillway::kSignalExit) spillway::end_by_signal(code - spillway::kSignalExit);
  return code;
}
