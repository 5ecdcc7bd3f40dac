// What is known of a run besides its blocks' bytes, as bytes at the end of its file: another process merges the run
// with it.
//
//   varints: records, record bytes, stored bytes, longest raw block, longest record, longest stored block, blocks
//   for each block, varints: offset, stored bytes, raw bytes, records, record bytes, line bytes, CRC32C of the stored
//   bytes, shared bytes of the begin, 2 * further bytes + 1 if the begin is whole; the further bytes
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sort/lines/runs/run.hpp"

namespace spillway {

std::vector<std::uint8_t> write_run_table(const Run& run);
// The run of a table, without its file: `blocks_end` is where that of the blocks ends. The run is not appended to.
// Throws FormatError naming `path`.
Run read_run_table(std::span<const std::uint8_t> table, std::uint64_t blocks_end, const std::string& path);

}  // namespace spillway
