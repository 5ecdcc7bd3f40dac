// Writes a sorted block of lines as a run.
#pragma once

#include <functional>

#include "sort/lines/block/block.hpp"
#include "sort/lines/runs/run.hpp"

namespace spillway {

// Memory that write_run() takes beside a block and for its long lines.
std::size_t encoding_memory(std::size_t threads);

// `block_bytes`: of the records in a block of the run. Calls `check` between blocks; it throws to stop. Parallel.
Run write_run(LineBlock& block, const LineOrder& order, const KeyEncoder& encoder, RunSpace& space,
              std::size_t block_bytes, const std::function<void()>& check);

}  // namespace spillway
