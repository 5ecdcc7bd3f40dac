// Measures the speed of a directory's disk, for `doctor` and `bench calibrate`.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace spillway {

struct DiskSpeed {
  double write_bytes_per_second = 0;  // written and synced
  double read_bytes_per_second = 0;   // after dropping the page cache, if the system allows it
};

// Writes, syncs, reads and removes a file of `bytes` in `directory`. Throws IoError, or InterruptedError after a
// signal.
DiskSpeed measure_disk(const std::string& directory, std::uint64_t bytes, const std::atomic<int>& signal_number);

}  // namespace spillway
