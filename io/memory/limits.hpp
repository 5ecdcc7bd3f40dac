// The limits of this process: each bound of its memory (available_memory_bytes() takes the least), and its processors.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace spillway {

struct MemoryLimits {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::size_t ram_bytes = 0;
  std::size_t cgroup2_bytes = kNone, cgroup1_bytes = kNone;     // the least on the path to the root of the hierarchy
  std::size_t address_space_bytes = kNone, data_bytes = kNone;  // RLIMIT_AS, RLIMIT_DATA

  std::size_t least_bytes() const;
  std::string least_name() const;  // "RAM", "cgroup v2 (memory.max)", ...
};

MemoryLimits memory_limits();

// Lets all threads share one arena of malloc where the address space is limited: each other arena reserves 64 MiB of
// it. Requires: no other thread runs.
void share_malloc_arena_in_limited_space();
// The same for a process that keeps within less than 256 MiB: each arena holds freed memory that other threads cannot
// use. Call it before threads that allocate much begin.
void share_malloc_arena_in_small_memory(std::size_t memory_bytes);

// Returns the number of processors that this process may run on (its CPU affinity), at least 1.
unsigned usable_threads();

}  // namespace spillway
