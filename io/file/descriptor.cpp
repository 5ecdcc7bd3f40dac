#include "io/file/descriptor.hpp"

#include <fcntl.h>

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

}  // namespace spillway
