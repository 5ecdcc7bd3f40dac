#include "tools/cli/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "io/base/error.hpp"

namespace spillway {

void fill_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) != -1) continue;
    // open() returns the lowest free number.
    const int opened = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != number) _exit(static_cast<int>(ExitCode::kUsageOrIo));
  }
}

}  // namespace spillway
