#include "indexer/token_buffer.hpp"

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

}  // namespace

std::size_t TokenBuffer::memory_bytes(const ContentOptions& options, const ChunkLimits& limits) {
  return position_count(options, limits) * sizeof(std::uint32_t);
}

TokenBuffer::TokenBuffer(const ChunkParserSetup& setup)
    : chunk_bytes_(ChunkParser::max_chunk_bytes(setup.options, setup.limits, ChunkForm::kTokens)),
      capacity_(token_capacity(setup.options, setup.limits)),
      budget_(setup.budget),
      positions_memory_(setup.budget, memory_bytes(setup.options, setup.limits), "a chunk's positions"),
      positions_(positions_memory_.as<std::uint32_t>().data()) {
  take_memory();
}

void TokenBuffer::take_memory() {
  memory_ = Buffer::reused(budget_, chunk_bytes_, "a parsed chunk");
  tokens_ = memory_.data();
}

ParsedChunk TokenBuffer::seal(const DocumentParts& parts) {
  if (!has_memory()) take_memory();
  ParsedChunk chunk;
  std::uint8_t* to = memory_.data() + used_;
  chunk.tokens = {memory_.data(), used_};
  chunk.word_sums = {token_sums_.take(chunk.tokens), sum_words(bytes_of(parts.lengths)),
                     position_sums_.take(bytes_of(positions()))};
  while ((to - memory_.data()) % alignof(std::uint32_t) != 0) *to++ = 0;
  chunk.positions = append(positions(), to);
  chunk.lengths = append(parts.lengths, to);
  chunk.documents = append(parts.documents, to);
  chunk.open_strings = append(parts.open_strings, to);
  chunk.texts = append(parts.texts, to);
  memory_.shrink(static_cast<std::size_t>(to - memory_.data()));
  chunk.memory = std::move(memory_);
  tokens_ = nullptr;
  used_ = count_ = 0;
  return chunk;
}

}  // namespace spillway
