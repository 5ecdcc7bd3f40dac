// Decodes the positions of an entry of a run.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "io/format/run.hpp"

namespace spillway {

// Decodes the positions of `entry` into distances (resized to its occurrence count): for each posting its first
// position, then the differences between neighbours. Throws FormatError naming `where` unless there is exactly one
// distance below 2^32 per occurrence and all bytes are used.
void decode_positions(const RunEntry& entry, std::string_view where, std::vector<std::uint32_t>& distances);

}  // namespace spillway
