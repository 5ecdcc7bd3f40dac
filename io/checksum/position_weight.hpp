// The share of an entry's positions in ContentChecksum::positions. Together with PositionSums, for all code that reads
// lists back.
#pragma once

#include <cstdint>
#include <span>

namespace spillway {

// Returns the sum of (sums[i + 1] - sums[i]) * r^documents[i], below 2^61 - 1, as DocumentWeight::add_wide() computes
// it. Requires: documents ascend; sums ascend (PositionSums::sums()), and there is one more than documents.
std::uint64_t position_weight(std::span<const std::uint32_t> documents, std::span<const std::uint64_t> sums);

// The same, one posting at a time. For tests.
std::uint64_t position_weight_portable(std::span<const std::uint32_t> documents, std::span<const std::uint64_t> sums);

}  // namespace spillway
