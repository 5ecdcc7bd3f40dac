// Where one visit at a time takes place: a stream with its share of the arena and its staging buffers, or their
// stand-ins on the host. Made once, used for block after block.
#pragma once

#include <cstdint>
#include <span>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/pipeline/block_packer.hpp"

namespace spillway {

// A block's lists, encoded, on the host.
struct EncodedLists {
  std::span<const std::uint64_t> rank_text_offsets;  // one more than there are ranks, into rank_text
  std::span<const std::uint8_t> rank_text;
  std::span<const EncodedList> parts;  // in list order; and one with the totals
  std::span<const std::uint8_t> postings, distances;
  PassSeconds seconds{};
  ContentChecksum sum;  // kTokens: of the tokens that the chunks' sums leave out
};

// Not thread-safe.
class GpuLane {
 public:
  virtual ~GpuLane() = default;
  // Puts a visit on its way. The packer may go when this returns. Throws GpuError; then abandon() must follow.
  virtual void begin(const BlockPacker& packer) = 0;
  // Waits until the lists are on the host and adds the visit's times to the figures. The lists live until the next
  // begin() or end(). Throws GpuError; then abandon() must follow.
  virtual EncodedLists wait(BlockSortStats& stats) = 0;
  // The lists are done with: gives back what they held.
  virtual void end() = 0;
  // Waits until nothing of the visit goes on any more, whatever it met.
  virtual void abandon() noexcept = 0;
};

}  // namespace spillway
