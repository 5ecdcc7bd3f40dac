#include "indexer/parse/token_buffer.hpp"

#include <algorithm>
#include <cstring>

namespace spillway {

namespace {

std::size_t position_count(const ContentOptions& options, const ChunkLimits& limits) {
  return options.positions ? max_chunk_tokens(options, limits) : 0;
}

// Copies a part behind those before it.
template <typename T>
std::span<const T> append(std::span<const T> part, std::uint8_t*& to) {
  const std::span<T> copy(reinterpret_cast<T*>(to), part.size());
  std::copy(part.begin(), part.end(), copy.begin());
  to += part.size_bytes();
  return copy;
}

std::size_t bytes_of(const DocumentParts& parts) {
  return parts.lengths.size_bytes() + parts.documents.size() + parts.open_strings.size() + parts.texts.size();
}

// Returns how many bytes they take.
std::size_t append(const DocumentParts& parts, std::uint8_t* const begin, ParsedChunk& chunk) {
  std::uint8_t* to = begin;
  chunk.lengths = append(parts.lengths, to);
  chunk.documents = append(parts.documents, to);
  chunk.open_strings = append(parts.open_strings, to);
  chunk.texts = append(parts.texts, to);
  return static_cast<std::size_t>(to - begin);
}

}  // namespace

std::size_t TokenBuffer::memory_bytes(const ContentOptions& options, const ChunkLimits& limits) {
  return position_count(options, limits) * sizeof(std::uint32_t);
}

TokenBuffer::TokenBuffer(const ChunkParserSetup& setup)
    : chunk_bytes_(max_chunk_bytes(setup.options, setup.limits, ChunkForm::kTokens)),
      usual_capacity_(token_capacity(setup.options, setup.limits)),
      piece_capacity_(piece_token_capacity(setup.options, setup.limits)),
      budget_(setup.budget),
      slabs_(setup.slabs),
      positions_memory_(setup.budget, memory_bytes(setup.options, setup.limits), "a chunk's positions"),
      positions_(positions_memory_.as<std::uint32_t>().data()) {
  take_memory();
}

void TokenBuffer::take_memory() {
  if (slabs_ != nullptr) piece_ = slabs_->take();
  if (piece_.empty()) {
    memory_ = Buffer::reused(budget_, chunk_bytes_, "a parsed chunk");
    tokens_ = memory_.data();
    capacity_ = usual_capacity_;
    piece_position_bytes_ = 0;
  } else {
    tokens_ = piece_.span().data();
    capacity_ = piece_capacity_;
    piece_position_bytes_ = positions_ == nullptr ? 0 : sizeof(std::uint32_t);
  }
}

ParsedChunk TokenBuffer::seal(const DocumentParts& parts) {
  if (!has_memory()) take_memory();
  ParsedChunk chunk;
  chunk.tokens = {tokens_, used_};
  chunk.word_sums = {token_sums_.take(chunk.tokens), sum_words(bytes_of(parts.lengths)),
                     position_sums_.take(bytes_of(positions()))};
  std::uint8_t* to = tokens_ + used_;
  while ((to - tokens_) % kSummedBytes != 0) *to++ = 0;
  chunk.positions = append(positions(), to);
  const auto used = static_cast<std::size_t>(to - tokens_);
  chunk.memory = piece_.empty() ? seal_buffer(parts, used, chunk) : seal_piece(parts, used, chunk);
  tokens_ = nullptr;
  used_ = count_ = 0;
  return chunk;
}

ChunkMemory TokenBuffer::seal_buffer(const DocumentParts& parts, std::size_t used, ParsedChunk& chunk) {
  memory_.shrink(used + append(parts, memory_.data() + used, chunk));
  return std::move(memory_);
}

ChunkMemory TokenBuffer::seal_piece(const DocumentParts& parts, std::size_t used, ParsedChunk& chunk) {
  const std::span<std::uint8_t> room = piece_.span().subspan(used);
  if (bytes_of(parts) <= room.size()) {
    append(parts, room.data(), chunk);
    return {std::move(piece_), {}};
  }
  Buffer rest = Buffer::reused(budget_, chunk_bytes_, "a parsed chunk");
  rest.shrink(append(parts, rest.data(), chunk));
  return {std::move(piece_), std::move(rest)};
}

}  // namespace spillway
