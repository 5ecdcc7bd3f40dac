#include "io/file/descriptor.hpp"

#include <fcntl.h>

#include <algorithm>

#include "io/file/system_error.hpp"

namespace spillway {

FileDescriptor above_standard_streams(FileDescriptor file) {
  if (!file.valid() || file.get() > STDERR_FILENO) return file;
  return FileDescriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

FileDescriptor open_descriptor(const std::string& path, int flags, std::string_view action, mode_t mode) {
  FileDescriptor file = above_standard_streams(
      FileDescriptor(retry_interrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); })));
  if (!file.valid()) throw_system_error(errno, action, path);
  return file;
}

int write_all_at(int descriptor, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = retry_interrupted([&] {
      return ::pwrite(descriptor, bytes.data(), std::min(bytes.size(), kMaxTransferBytes), static_cast<off_t>(offset));
    });
    // A device that takes no bytes and reports no error is full.
    if (put <= 0) return put == 0 ? ENOSPC : errno;
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return 0;
}

}  // namespace spillway
