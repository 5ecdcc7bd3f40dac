// Checks before the work that a job's output and scratch files fit their disks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/file/file_system.hpp"

namespace spillway {

struct DiskNeed {
  std::string what;                  // "the index"
  std::uint64_t least_bytes = 0;     // with less the job certainly fails
  std::uint64_t probable_bytes = 0;  // with less it may fail
};

// `path` need not exist: its parent's disk counts. Throws BudgetError, which names disk, need and remedy, if fewer than
// the least bytes are free; warns if fewer than the probable bytes are.
void check_free_space(FileSystem& files, const std::string& path, const DiskNeed& need,
                      const std::function<void(const std::string&)>& warn);

}  // namespace spillway
