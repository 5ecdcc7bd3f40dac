// How fast a directory's disk takes and gives bytes: what `doctor` measures.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace spillway {

struct DiskSpeed {
  double write_bytes_per_second = 0;  // written and brought to disk
  double read_bytes_per_second = 0;   // not from the page cache, where the system lets it be emptied
};

// Writes, syncs, reads and removes a file of `bytes` in `directory`. Throws IoError; InterruptedError when a signal
// came. Nothing is left.
DiskSpeed measure_disk(const std::string& directory, std::uint64_t bytes, const std::atomic<int>& signal_number);

}  // namespace spillway
