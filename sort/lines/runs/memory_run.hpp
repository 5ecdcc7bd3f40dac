// The last block of a sort, which stays in memory and is merged with the runs before it: its lines are neither encoded
// nor packed, written and read again.
#pragma once

#include <cstddef>

#include "sort/lines/block/block.hpp"
#include "sort/lines/runs/run.hpp"

namespace spillway {

// Sorts the block and returns it as a run, whose blocks have about `block_bytes` of records. Block and encoder outlive
// the run. The block has no long line (LongestLine::is_long()). Throws IoError if mapped text has changed since the
// block was arranged. Parallel.
Run make_memory_run(LineBlock& block, const LineOrder& order, const KeyEncoder& encoder, std::size_t block_bytes);

}  // namespace spillway
