// Whether a job's output and scratch files fit their disks, judged before the work.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/file/file_system.hpp"

namespace spillway {

struct DiskNeed {
  std::string what;                  // "the index"
  std::uint64_t least_bytes = 0;     // with less, the job fails for certain
  std::uint64_t probable_bytes = 0;  // with less, it may fail
};

// `path` need not be there: its parent's disk counts. Throws BudgetError naming disk, need and remedy where fewer than
// the least are free; warns where fewer than the probable are.
void check_free_space(FileSystem& files, const std::string& path, const DiskNeed& need,
                      const std::function<void(const std::string&)>& warn);

}  // namespace spillway
