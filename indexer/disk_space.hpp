// Whether a job's output and scratch files can fit their disks, judged before the work.
#pragma once

#include <cstdint>
#include <string>

#include "io/file_system.hpp"

namespace spillway {

// `path` need not be there: its parent's disk counts. Throws BudgetError naming disk, need and remedy where fewer than
// `needed_bytes` are free for `what`.
void check_free_space(FileSystem& files, const std::string& path, std::uint64_t needed_bytes, const std::string& what);

}  // namespace spillway
