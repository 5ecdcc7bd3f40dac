#include "io/file/space_ahead.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "io/file/descriptor.hpp"

namespace spillway {

namespace {

// Space is taken only if this many times as much is free: until it is given back, surplus is missing to other files.
constexpr std::uint64_t kFreePerTaken = 16;

// A file in memory that would exceed the limit of the process gets a signal, which may end it.
bool is_allowed(std::uint64_t end) {
  struct rlimit limit = {};
  return end <= static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()) &&
         ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur);
}

bool has_room(int descriptor, std::uint64_t bytes) {
  struct statvfs disk = {};
  return ::fstatvfs(descriptor, &disk) == 0 && std::uint64_t{disk.f_bavail} * disk.f_frsize / kFreePerTaken >= bytes;
}

}  // namespace

bool FileSpace::reserve(int descriptor, std::uint64_t size, std::uint64_t end) {
  if (end <= size) return true;
  if (has_failed_) return false;
  const std::uint64_t begin = std::max(size, end_);
  if (end <= begin) return true;
  if (!is_allowed(end) || !has_room(descriptor, end - begin)) return false;
  // A call that fails may have taken a part of the space.
  end_ = end;
  has_failed_ =
      ::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin), static_cast<off_t>(end - begin)) != 0;
  return !has_failed_;
}

// A file cut to the size that it has loses its space after that.
int FileSpace::give_back(int descriptor, std::uint64_t size) {
  if (end_ <= size) return 0;
  end_ = 0;
  return retry_interrupted([&] { return ::ftruncate(descriptor, static_cast<off_t>(size)); }) == 0 ? 0 : errno;
}

}  // namespace spillway
