#include "io/file/system_error.hpp"

#include <cerrno>
#include <string>
#include <system_error>

namespace spillway {

namespace {

constexpr std::size_t kMaxPathBytes = 4096;

std::string_view remedy(int error) {
  switch (error) {
    case ENOSPC:
      return "; free space on that file system, or name a directory on another one";
    case EDQUOT:
      return "; the quota is used up: free space, or name a directory on another file system";
    case EFBIG:
      return "; raise the limit on file sizes (ulimit -f), or use a file system that allows larger files";
    case EMFILE:
      return "; raise the limit on open files of this process (ulimit -n)";
    case ENFILE:
      return "; the system has too many open files: close other programs, or raise fs.file-max";
    case EACCES:
    case EPERM:
      return "; check the permissions of it and of the directories above it";
    case EROFS:
      return "; name a directory on a file system that can be written";
    case ENOENT:
      return "; check the spelling, and that the directory above it exists";
    case ENOTDIR:
      return "; something above it is not a directory";
    case EEXIST:
      return "; remove it, or choose another name";
    case EBADF:
      return "; it is closed, or open for the other direction alone: start the program with it open";
    case EIO:
      return "; the device reports an error: see the kernel log, and distrust what is on it";
    default:
      return "";
  }
}

}  // namespace

void throw_system_error(int error, std::string_view action, std::string_view path) {
  const std::string message = "cannot " + std::string(action) + " " + printable(path, kMaxPathBytes) + ": " +
                              std::generic_category().message(error) + std::string(remedy(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) throw DiskFullError(message);
  throw IoError(message);
}

}  // namespace spillway
