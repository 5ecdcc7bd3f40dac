// Decodes the positions of an entry of a run.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "io/format/run.hpp"

namespace spillway {

// Decodes the positions of `piece` into distances (resized to its occurrence count): for each posting, of its first
// position from 0 and of each other from the one before. Throws FormatError naming `where` unless there are exactly as
// many as occurrences, below 2^32, and they use every byte.
void decode_positions(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& distances);

}  // namespace spillway
