// What the positions of a piece weigh in ContentChecksum::positions: with PositionSums, for everything that reads lists
// back.
#pragma once

#include <cstdint>
#include <span>

namespace spillway {

// The sum of (sums[i + 1] - sums[i]) * r^documents[i], below 2^61 - 1, as DocumentWeight::add_wide() adds it up.
// Requires: documents ascend; as many sums as documents, and one more before; sums ascend (PositionSums::sums()).
std::uint64_t position_weight(std::span<const std::uint32_t> documents, std::span<const std::uint64_t> sums);

// The same, a posting at a time: for tests.
std::uint64_t position_weight_portable(std::span<const std::uint32_t> documents, std::span<const std::uint64_t> sums);

}  // namespace spillway
