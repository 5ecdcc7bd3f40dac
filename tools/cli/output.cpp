#include "tools/cli/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <limits>

#include "io/base/error.hpp"
#include "io/file/system_error.hpp"
#include "tools/cli/signals.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPendingBytes = std::size_t{64} << 10;
constexpr int kPollMs = 100;

[[noreturn]] void fail_to_write(int error, const std::string& name) {
  if (error == EPIPE && ends_by_closed_pipe()) {
    throw InterruptedError(SIGPIPE, "the reader of " + name + " closed the pipe");
  }
  throw_system_error(error, "write to", name);
}

// Polls, because a signal may arrive on another thread and would not interrupt a blocking write().
void wait_until_writable(int descriptor) {
  pollfd polled{descriptor, POLLOUT, 0};
  while (poll(&polled, 1, kPollMs) <= 0) throw_if_interrupted(received_signal());
}

// Writes what a pipe, socket or terminal takes now; write() would block until it has taken everything. Without
// RWF_NOWAIT it writes at most PIPE_BUF bytes at a time, at 0.6 times the rate.
ssize_t write_when_ready(int descriptor, std::string_view bytes) {
  const iovec all{const_cast<char*>(bytes.data()), bytes.size()};
  const ssize_t written = pwritev2(descriptor, &all, 1, -1, RWF_NOWAIT);
  if (written >= 0 || (errno != EAGAIN && errno != EOPNOTSUPP && errno != ENOSYS)) return written;
  wait_until_writable(descriptor);
  // A writable pipe has room for PIPE_BUF bytes. A signal interrupts the write if it comes to this thread.
  return ::write(descriptor, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
}

}  // namespace

Output::Output(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {
  struct stat status = {};
  may_block_ = fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode);
}

void Output::write(std::string_view bytes) {
  if (pending_.size() + bytes.size() > kPendingBytes) flush();
  if (bytes.size() >= kPendingBytes) return write_through(bytes);
  pending_ += bytes;
}

void Output::flush() {
  const std::string bytes = std::move(pending_);
  pending_.clear();
  write_through(bytes);
}

void Output::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        may_block_ ? write_when_ready(descriptor_, bytes) : ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EINTR || errno == EAGAIN) {
      throw_if_interrupted(received_signal());
    } else {
      fail_to_write(errno, name_);
    }
  }
}

bool Output::is_open() const {
  const int flags = fcntl(descriptor_, F_GETFL);
  return flags != -1 && (flags & O_ACCMODE) != O_RDONLY;
}

void print_message(const std::string& text) {
  const std::string line = printable(text, std::numeric_limits<std::size_t>::max());
  std::fprintf(stderr, "spillway: %s\n", line.c_str());
}

}  // namespace spillway
