#include "indexer/gpu/block_packer.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "sort/gpu/gpu_error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostNarrowTerms = std::size_t{1} << 16;

std::uint32_t checked_sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = 0xFFFFFFFE;
  if (a + b > kMost)
    throw GpuMemoryError("a block of more than 2^32-2 occurrences or terms does not fit one GPU visit");
  return static_cast<std::uint32_t>(a + b);
}

std::size_t round_up(std::size_t bytes) { return (bytes + kChunkAlignment - 1) / kChunkAlignment * kChunkAlignment; }

// Bytes [from, from + to.size()) of an array of T that is made from `source` element by element.
template <typename T, typename Source, typename Make>
void convert(const Source* source, std::size_t from, std::span<std::uint8_t> to, const Make& make) {
  const Source* at = source + from / sizeof(T);
  T* const out = reinterpret_cast<T*>(to.data());
  for (std::size_t i = 0; i < to.size() / sizeof(T); ++i) out[i] = make(at[i]);
}

template <typename T>
void copy(std::span<const T> source, std::size_t from, std::span<std::uint8_t> to) {
  std::memcpy(to.data(), reinterpret_cast<const std::uint8_t*>(source.data()) + from, to.size());
}

}  // namespace

BlockPacker::BlockPacker(const Block& block, Positions positions) : block_(block) {
  const std::vector<std::uint32_t> bases = chunk_bases(block);
  ChunkPlace place;
  std::size_t text = 0;
  size_.positions = positions == Positions::kStored;
  for (std::size_t c = 0; c < block.chunks.size(); ++c) {
    const ParsedChunk& chunk = block.chunks[c];
    size_ += visit_size(chunk, positions);
    place.first_document = bases[c];
    place.occurrence_width = chunk.terms.size() <= kMostNarrowTerms ? 2 : 4;
    places_.push_back(place);
    text_begins_.push_back(text);
    place.first_occurrence = checked_sum(place.first_occurrence, chunk.occurrences.size());
    place.first_string = checked_sum(place.first_string, chunk.terms.size());
    place.first_piece = checked_sum(place.first_piece, chunk.lengths.size());
    place.occurrence_offset += round_up(chunk.occurrences.size() * place.occurrence_width);
    text += chunk.text.size();
  }
  place.first_document = bases.back();
  places_.push_back(place);
  text_begins_.push_back(text);
}

std::size_t BlockPacker::chunk_begin(VisitArray array, std::size_t chunk) const {
  const ChunkPlace& place = places_[chunk];
  switch (array) {
    case VisitArray::kText:
      return text_begins_[chunk];
    case VisitArray::kStringBytes:
      return place.first_string * sizeof(std::uint16_t);
    case VisitArray::kOccurrences:
      return place.occurrence_offset;
    case VisitArray::kLengths:
      return place.first_piece * sizeof(std::uint32_t);
    case VisitArray::kPositions:
      return place.first_occurrence * sizeof(std::uint32_t);
  }
  return 0;
}

std::size_t BlockPacker::bytes(VisitArray array) const {
  if (array == VisitArray::kPositions && !size_.positions) return 0;
  return chunk_begin(array, block_.chunks.size());
}

void BlockPacker::pack(VisitArray array, std::size_t begin, std::span<std::uint8_t> to) const {
  // The last chunk that begins at or before it; empty ones do not matter.
  std::size_t chunk = 0, end = block_.chunks.size();
  while (end - chunk > 1) {
    const std::size_t middle = (chunk + end) / 2;
    (chunk_begin(array, middle) <= begin ? chunk : end) = middle;
  }
  while (!to.empty()) {
    const std::size_t chunk_end = chunk_begin(array, chunk + 1);
    const std::size_t bytes = std::min(to.size(), chunk_end - begin);
    pack_chunk(array, chunk, begin - chunk_begin(array, chunk), to.first(bytes));
    to = to.subspan(bytes);
    begin += bytes;
    ++chunk;
  }
}

void BlockPacker::pack_chunk(VisitArray array, std::size_t c, std::size_t from, std::span<std::uint8_t> to) const {
  const ParsedChunk& chunk = block_.chunks[c];
  switch (array) {
    case VisitArray::kText:
      return copy(chunk.text, from, to);
    case VisitArray::kStringBytes:
      return convert<std::uint16_t>(chunk.terms.data(), from, to,
                                    [](const ChunkTerm& term) { return static_cast<std::uint16_t>(term.text_bytes); });
    case VisitArray::kOccurrences: {
      const std::size_t width = places_[c].occurrence_width;
      const std::size_t used =
          std::min(to.size(), chunk.occurrences.size() * width - std::min(from, chunk.occurrences.size() * width));
      std::fill(to.begin() + static_cast<std::ptrdiff_t>(used), to.end(), std::uint8_t{0});
      if (width == 4) return copy(chunk.occurrences, from, to.first(used));
      return convert<std::uint16_t>(chunk.occurrences.data(), from, to.first(used),
                                    [](std::uint32_t term) { return static_cast<std::uint16_t>(term); });
    }
    case VisitArray::kLengths:
      return copy(chunk.lengths, from, to);
    case VisitArray::kPositions:
      return copy(chunk.positions, from, to);
  }
}

}  // namespace spillway
