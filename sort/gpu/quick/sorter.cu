#include "sort/gpu/quick/sorter.hpp"

#include <algorithm>
#include <vector>

#include "sort/gpu/device/launch_shape.cuh"
#include "sort/gpu/quick/kernels.cuh"

namespace spillway {

namespace {

using quick::kThreads;
using quick::kTileKeys;
using quick::Piece;
using quick::Segment;
using quick::Tile;

// From here on pivots halve the range of values: sampled ones have failed so often only on keys made for it.
constexpr unsigned kSampledRounds = 48;

struct QuickScratch {
  std::uint64_t* other;
  Segment* segments;
  Tile* tiles;
  Piece* pieces;
};

// A large segment has more than a tile of keys, so there are fewer than `tiles`, with at most twice as many tiles. In a
// round each has two other parts, and equal keys in pieces of a tile.
QuickScratch lay_out(DeviceArena& arena, std::size_t count) {
  const std::size_t tiles = count / kTileKeys + 1;
  return {arena.take<std::uint64_t>(count), arena.take<Segment>(tiles), arena.take<Tile>(2 * tiles),
          arena.take<Piece>(5 * tiles)};
}

// A segment on the host: its field values are in [least, most].
struct OpenSegment {
  std::uint64_t begin, count, least, most;
};

template <typename Less>
class QuickSort {
 public:
  QuickSort(std::uint64_t* d_keys, const QuickScratch& scratch, BitRange bits, Less less, GpuStreamHandle stream)
      : buffers_{d_keys, scratch.other}, scratch_(scratch), bits_(bits), less_(less), stream_(stream) {}

  void run(std::size_t count) {
    add({0, count, 0, bit_mask(bits_) >> bits_.begin});
    finish_pieces();
    for (; !open_.empty(); ++round_) {
      divide();
      current_ = 1 - current_;
      take_parts();
      finish_pieces();
    }
  }

 private:
  std::uint64_t value_of(std::uint64_t key) const { return (key & bit_mask(bits_)) >> bits_.begin; }

  void add(const OpenSegment& part) {
    if (part.count > kTileKeys) return open_.push_back(part);
    if (part.count > 0) pieces_.push_back({part.begin, static_cast<std::uint32_t>(part.count), 0});
  }

  void divide() {
    segments_.clear();
    std::vector<Tile> tiles;
    for (const OpenSegment& one : open_) {
      const auto number = static_cast<std::uint32_t>(segments_.size());
      const std::uint64_t middle = one.least + (one.most - one.least) / 2;
      segments_.push_back({.begin = one.begin,
                           .count = one.count,
                           .has_pivot = round_ >= kSampledRounds ? 1u : 0u,
                           .pivot = middle << bits_.begin});
      for (std::uint32_t i = 0; std::uint64_t{i} * kTileKeys < one.count; ++i) tiles.push_back({number, i});
    }
    const auto count = static_cast<std::uint32_t>(segments_.size());
    copy_to_device(scratch_.segments, segments_.data(), count * sizeof(Segment), stream_);
    copy_to_device(scratch_.tiles, tiles.data(), tiles.size() * sizeof(Tile), stream_);
    const auto tile_blocks = static_cast<unsigned>(tiles.size());
    quick::pick_pivots_kernel<<<blocks_for(count, kThreads), kThreads, 0, stream_>>>(
        buffers_[current_], scratch_.segments, count, round_, less_);
    check_launch();
    quick::count_kernel<<<tile_blocks, kThreads, 0, stream_>>>(buffers_[current_], scratch_.segments, scratch_.tiles,
                                                               less_);
    check_launch();
    quick::divide_kernel<<<tile_blocks, kThreads, 0, stream_>>>(buffers_[current_], buffers_[1 - current_],
                                                                scratch_.segments, scratch_.tiles, less_);
    check_launch();
    copy_to_host(segments_.data(), scratch_.segments, count * sizeof(Segment), stream_);
    cuda_check(cudaStreamSynchronize(stream_));
  }

  // The parts of the segments that were divided: open segments, and pieces for the last sort.
  void take_parts() {
    std::vector<OpenSegment> divided;
    divided.swap(open_);
    for (std::size_t i = 0; i < divided.size(); ++i) {
      const OpenSegment& whole = divided[i];
      const Segment& parts = segments_[i];
      const std::uint64_t pivot = value_of(parts.pivot), end = whole.begin + whole.count;
      add({whole.begin, parts.less, whole.least, pivot - 1});
      add({end - parts.greater, parts.greater, pivot + 1, whole.most});
      if (current_ == 0) continue;  // equal keys are in their places
      for (std::uint64_t at = whole.begin + parts.less; at < end - parts.greater; at += kTileKeys) {
        const std::uint64_t left = end - parts.greater - at;
        pieces_.push_back({at, static_cast<std::uint32_t>(std::min<std::uint64_t>(left, kTileKeys)), 1});
      }
    }
  }

  void finish_pieces() {
    if (pieces_.empty()) return;
    copy_to_device(scratch_.pieces, pieces_.data(), pieces_.size() * sizeof(Piece), stream_);
    quick::finish_kernel<<<static_cast<unsigned>(pieces_.size()), kThreads, 0, stream_>>>(
        buffers_[current_], buffers_[0], scratch_.pieces, less_);
    check_launch();
    pieces_.clear();
  }

  std::uint64_t* buffers_[2];  // the result is in the first
  QuickScratch scratch_;
  BitRange bits_;
  Less less_;
  GpuStreamHandle stream_;
  std::vector<OpenSegment> open_;
  std::vector<Segment> segments_;
  std::vector<Piece> pieces_;
  unsigned round_ = 0;
  int current_ = 0;  // the buffer that holds the open segments
};

}  // namespace

std::size_t GpuQuickSorter::scratch_bytes(std::size_t count, BitRange bits) const {
  if (is_sorted_already(count, bits)) return 0;
  DeviceArena arena = DeviceArena::for_counting();
  lay_out(arena, count);
  return arena.used_bytes();
}

std::uint64_t* GpuQuickSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits, std::uint8_t* d_scratch,
                                    GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return d_keys;
  DeviceArena arena(d_scratch, scratch_bytes(count, bits));
  const QuickScratch scratch = lay_out(arena, count);
  with_key_order(bits, [&](auto less) { QuickSort(d_keys, scratch, bits, less, stream).run(count); });
  return d_keys;
}

}  // namespace spillway
