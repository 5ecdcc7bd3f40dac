// Writes a sorted block of lines as a run.
#pragma once

#include <functional>

#include "sort/lines/block/block.hpp"
#include "sort/lines/runs/run.hpp"

namespace spillway {

// Memory that write_run() takes beside a block and for its long lines, in a sort of `memory_bytes`.
std::size_t encoding_memory(std::size_t threads, std::size_t memory_bytes);

// `block_bytes`: of the records in a block of the run. `memory_bytes`: encoding_memory(). Calls `check` between blocks;
// it throws to stop. Throws IoError if mapped text has changed since the block was arranged. Parallel.
Run write_run(LineBlock& block, const LineOrder& order, const KeyEncoder& encoder, RunSpace& space,
              std::size_t block_bytes, std::size_t memory_bytes, const std::function<void()>& check);

}  // namespace spillway
