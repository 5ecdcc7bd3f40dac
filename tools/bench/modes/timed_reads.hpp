// A file system that forwards to another and measures the time of reads outside of some directories. If these hold a
// job's output and scratch files, that is the time of reading its input.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway {

struct ReadTimes {
  std::atomic<std::uint64_t> nanoseconds{0}, bytes{0};  // summed over threads
};

// `files` and `times` must outlive the result.
std::unique_ptr<FileSystem> make_timed_reads(FileSystem& files, std::vector<std::string> left_out_directories,
                                             ReadTimes& times);

}  // namespace spillway
