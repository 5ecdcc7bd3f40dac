#include "io/memory/limits.hpp"

#include <malloc.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <utility>

namespace spillway {

namespace {

constexpr std::size_t kNoLimit = std::size_t{1} << 60;

// A cgroup limit file holds a number or "max". Without a limit, version 1 has a number near 2^63.
std::size_t limit_in_file(const std::string& path) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value && value < kNoLimit ? value : MemoryLimits::kNone;
}

// Returns the path of this process below the cgroup hierarchy of `controller`: "" for v2, "memory" for v1.
std::string cgroup_path(std::string_view controller) {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (line.substr(first + 1, second - first - 1) == controller) return line.substr(second + 1);
  }
  return "";
}

// A limit applies at every level up to the root of the hierarchy.
std::size_t cgroup_limit(const std::string& root, std::string path, const std::string& file) {
  std::size_t limit = limit_in_file(root + "/" + file);
  while (!path.empty() && path != "/") {
    limit = std::min(limit, limit_in_file(root + path + "/" + file));
    path.resize(path.rfind('/'));
  }
  return limit;
}

std::size_t rlimit_bytes(__rlimit_resource resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<std::size_t>::max();
  }
  return limit.rlim_cur;
}

}  // namespace

std::size_t MemoryLimits::least_bytes() const {
  return std::min({ram_bytes, cgroup1_bytes, cgroup2_bytes, address_space_bytes, data_bytes});
}

std::string MemoryLimits::least_name() const {
  const std::array<std::pair<std::size_t, const char*>, 5> limits{{{ram_bytes, "RAM"},
                                                                   {cgroup2_bytes, "cgroup v2 (memory.max)"},
                                                                   {cgroup1_bytes, "cgroup v1 (memory.limit_in_bytes)"},
                                                                   {address_space_bytes, "ulimit -v (address space)"},
                                                                   {data_bytes, "ulimit -d (data)"}}};
  return std::min_element(limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

MemoryLimits memory_limits() {
  MemoryLimits limits;
  limits.ram_bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  limits.cgroup2_bytes = cgroup_limit("/sys/fs/cgroup", cgroup_path(""), "memory.max");
  limits.cgroup1_bytes = cgroup_limit("/sys/fs/cgroup/memory", cgroup_path("memory"), "memory.limit_in_bytes");
  limits.address_space_bytes = rlimit_bytes(RLIMIT_AS);
  limits.data_bytes = rlimit_bytes(RLIMIT_DATA);
  return limits;
}

void share_malloc_arena_in_limited_space() {
  if (rlimit_bytes(RLIMIT_AS) != MemoryLimits::kNone) mallopt(M_ARENA_MAX, 1);
}

void share_malloc_arena_in_small_memory(std::size_t memory_bytes) {
  constexpr std::size_t kSmallBytes = std::size_t{256} << 20;
  if (memory_bytes < kSmallBytes) mallopt(M_ARENA_MAX, 1);
}

unsigned usable_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

}  // namespace spillway
