#include "tools/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/error.hpp"

namespace spillway {

namespace {
constexpr std::size_t kPendingBytes = std::size_t{64} << 10;
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
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw IoError("cannot write to " + name_ + ": " + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace spillway
