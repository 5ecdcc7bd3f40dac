#include "indexer/gpu/pipeline/block_packer.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "io/base/error.hpp"
#include "sort/gpu/device/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostNarrowTerms = std::size_t{1} << 16;

std::uint32_t checked_sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = 0xFFFFFFFE;
  if (a + b > kMost)
    throw GpuMemoryError("a block of more than 2^32-2 occurrences or terms does not fit one pass over a GPU");
  return static_cast<std::uint32_t>(a + b);
}

// Writes bytes [from, from + to.size()) of the array of T that `make` gives for the elements of `source`.
template <typename T, typename Source, typename Make>
void convert(const Source* source, std::size_t from, std::span<std::uint8_t> to, const Make& make) {
  const Source* at = source + from / sizeof(T);
  T* const out = reinterpret_cast<T*>(to.data());
  for (std::size_t i = 0; i < to.size() / sizeof(T); ++i) out[i] = make(at[i]);
}

template <typename T>
void copy(std::span<const T> source, std::size_t from, std::span<std::uint8_t> to) {
  if (to.empty()) return;  // memcpy() takes no null pointer, even for 0 bytes
  std::memcpy(to.data(), reinterpret_cast<const std::uint8_t*>(source.data()) + from, to.size());
}

// Returns the prefix of `to` that an array of `bytes` bytes still fills from byte `from` on; zeroes the rest.
std::span<std::uint8_t> pad(std::size_t bytes, std::size_t from, std::span<std::uint8_t> to) {
  const std::size_t used = std::min(to.size(), bytes - std::min(from, bytes));
  std::fill(to.begin() + static_cast<std::ptrdiff_t>(used), to.end(), std::uint8_t{0});
  return to.first(used);
}

}  // namespace

BlockPacker::BlockPacker(const Block& block, Positions positions, ChunkForm form) : block_(block), form_(form) {
  const std::vector<std::uint32_t> bases = chunk_bases(block);
  ChunkPlace end;
  text_begins_.push_back(0);
  size_.positions = positions == Positions::kStored;
  for (std::size_t c = 0; c < block.chunks.size(); ++c) {
    size_ += block_pass_size(block.chunks[c], positions);
    end.first_document = bases[c];
    add_chunk(block.chunks[c], end);
  }
  end.first_document = bases.back();
  places_.push_back(end);
}

void BlockPacker::add_chunk(const ParsedChunk& chunk, ChunkPlace& end) {
  const bool has_tokens = chunk.form() == ChunkForm::kTokens;
  const ChunkTerms terms = has_tokens ? ChunkTerms{} : chunk.terms();
  end.occurrence_width = terms.terms.size() <= kMostNarrowTerms ? 2 : 4;
  places_.push_back(end);
  const std::uint64_t occurrences = has_tokens ? chunk.occurrence_count : chunk.table().occurrences.size();
  const std::span<const std::uint32_t> lengths = chunk.lengths();
  if (std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}) != occurrences) {
    throw FormatError(
        "the lengths of a chunk's documents do not add up to its occurrences; the memory of this machine or this "
        "program is at fault, and the index was not written");
  }
  if (has_tokens && size_.positions && occurrences != 0 &&
      (chunk.tokens().position_runs.empty() || chunk.tokens().position_runs.front().first_token != 0)) {
    throw FormatError(
        "the positions of a chunk do not begin with its first token; the memory of this machine or this program is at "
        "fault, and the index was not written");
  }
  if (has_tokens) transfer_checksums_ += chunk.tokens().checksums.of_chunk(places_.size() - 1);
  end.first_occurrence = checked_sum(end.first_occurrence, occurrences);
  end.first_string = checked_sum(end.first_string, terms.terms.size());
  end.first_slice = checked_sum(end.first_slice, lengths.size());
  if (has_tokens) {
    end.first_position_run = checked_sum(end.first_position_run, chunk.tokens().position_runs.size());
  }
  end.data_offset += chunk_aligned(has_tokens ? chunk.tokens().tokens.size() : occurrences * end.occurrence_width);
  text_begins_.push_back(text_begins_.back() + terms.text.size());
}

std::size_t BlockPacker::chunk_begin(PassArray array, std::size_t chunk) const {
  const ChunkPlace& place = places_[chunk];
  switch (array) {
    case PassArray::kText:
      return text_begins_[chunk];
    case PassArray::kStringBytes:
      return place.first_string * sizeof(std::uint16_t);
    case PassArray::kOccurrences:
    case PassArray::kTokens:
      return place.data_offset;
    case PassArray::kLengths:
      return place.first_slice * sizeof(std::uint32_t);
    case PassArray::kPositions:
      return place.first_occurrence * sizeof(std::uint32_t);
    case PassArray::kPositionRuns:
      return place.first_position_run * sizeof(PositionRun);
  }
  return 0;
}

std::size_t BlockPacker::bytes(PassArray array) const {
  if (array == PassArray::kPositions && !size_.positions) return 0;
  return chunk_begin(array, block_.chunks.size());
}

// Tokens in a pinned slot are followed by zeros up to a multiple of kSummedBytes.
std::span<const std::uint8_t> BlockPacker::in_place(PassArray array, std::size_t c) const {
  static_assert(kChunkAlignment == kSummedBytes);
  const ParsedChunk& chunk = block_.chunks[c];
  if (chunk.memory.region().empty()) return {};
  if (array == PassArray::kTokens) return {chunk.tokens().tokens.data(), chunk_aligned(chunk.tokens().tokens.size())};
  return {};
}

void BlockPacker::pack(PassArray array, std::size_t begin, std::span<std::uint8_t> to) const {
  // The last chunk that begins at or before `begin`.
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

void BlockPacker::pack_chunk(PassArray array, std::size_t c, std::size_t from, std::span<std::uint8_t> to) const {
  const ParsedChunk& chunk = block_.chunks[c];
  switch (array) {
    case PassArray::kText:
      return copy(chunk.table().text, from, to);
    case PassArray::kTokens:
      return copy(chunk.tokens().tokens, from, pad(chunk.tokens().tokens.size(), from, to));
    case PassArray::kStringBytes:
      return convert<std::uint16_t>(chunk.table().terms.data(), from, to,
                                    [](const ChunkTerm& term) { return static_cast<std::uint16_t>(term.text_bytes); });
    case PassArray::kOccurrences: {
      const std::span<const std::uint32_t> occurrences = chunk.table().occurrences;
      const std::size_t width = places_[c].occurrence_width;
      const std::span<std::uint8_t> used = pad(occurrences.size() * width, from, to);
      if (width == 4) return copy(occurrences, from, used);
      return convert<std::uint16_t>(occurrences.data(), from, used,
                                    [](std::uint32_t term) { return static_cast<std::uint16_t>(term); });
    }
    case PassArray::kLengths:
      return copy(chunk.lengths(), from, to);
    case PassArray::kPositions:
      return copy(chunk.table().positions, from, to);
    case PassArray::kPositionRuns:
      return copy(chunk.tokens().position_runs, from, to);
  }
}

}  // namespace spillway
