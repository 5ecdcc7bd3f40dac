// A file system that passes everything on, and takes the time of what is read outside of some directories: of a
// job's input, when these hold its output and scratch files.
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

// `files` and `times` live longer.
std::unique_ptr<FileSystem> make_timed_reads(FileSystem& files, std::vector<std::string> left_out_directories,
                                             ReadTimes& times);

}  // namespace spillway
