#include "tools/commands/sort/descriptors.hpp"

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>

namespace spillway {

namespace {

constexpr std::size_t kOtherDescriptors = 4;

// 0 where the system does not tell. (A directory_iterator ends the process where it gets no memory.)
std::size_t open_descriptors() {
  DIR* const directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  std::size_t entries = 0;
  while (::readdir(directory) != nullptr) ++entries;
  ::closedir(directory);
  return entries - std::min<std::size_t>(entries, 3);  // ".", ".." and the directory's own descriptor
}

}  // namespace

std::size_t free_descriptors(std::size_t kept) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 2;
  const std::size_t taken = open_descriptors() + kept + kOtherDescriptors;
  return limit.rlim_cur > taken + 2 ? limit.rlim_cur - taken : 2;
}

}  // namespace spillway
