// Blocks of tokens (ChunkForm::kTokens) out of blocks of occurrences: the same documents, as a parser that looks
// nothing up would leave them.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "indexer/block/block.hpp"

namespace spillway::testing {

// Lives no longer than the other block, whose arrays it views.
class TokenBlock {
 public:
  // Some tokens have more than one 0 behind them.
  TokenBlock(const Block& occurrences, std::uint64_t seed) : random_(seed), tokens_(occurrences.chunks.size()) {
    block_.number = occurrences.number;
    block_.last = occurrences.last;
    for (std::size_t c = 0; c < occurrences.chunks.size(); ++c) add_chunk(occurrences.chunks[c], tokens_[c]);
  }
  TokenBlock(const TokenBlock&) = delete;
  TokenBlock& operator=(const TokenBlock&) = delete;
  const Block& block() const { return block_; }
  Block& block() { return block_; }
  // The tokens of a chunk, to be damaged; and sums that say that nothing was.
  std::vector<std::uint8_t>& tokens(std::size_t chunk) { return tokens_[chunk]; }
  // Puts tokens and positions of chunks into pieces, as parsers do, while there are any and they fit; returns of how
  // many. The slabs live longer.
  std::size_t stand_in(PinnedSlotPool& slabs) {
    std::size_t moved = 0;
    for (ParsedChunk& chunk : block_.chunks) {
      PinnedSlotPool::Piece piece = slabs.take();
      const std::size_t padded = (chunk.tokens.size() + kSummedBytes - 1) / kSummedBytes * kSummedBytes;
      if (padded + chunk.positions.size_bytes() > piece.span().size() || piece.empty()) continue;
      std::uint8_t* const to = piece.span().data();
      std::fill(std::copy(chunk.tokens.begin(), chunk.tokens.end(), to), to + padded, std::uint8_t{0});
      const std::span<std::uint32_t> positions(reinterpret_cast<std::uint32_t*>(to + padded), chunk.positions.size());
      std::copy(chunk.positions.begin(), chunk.positions.end(), positions.begin());
      chunk.tokens = {to, chunk.tokens.size()};
      chunk.positions = positions;
      chunk.memory = ChunkMemory(std::move(piece), {});
      ++moved;
    }
    return moved;
  }
  void sum_tokens(std::size_t chunk) { block_.chunks[chunk].word_sums.tokens = sum_words(tokens_[chunk]); }

 private:
  void add_chunk(const ParsedChunk& from, std::vector<std::uint8_t>& tokens) {
    ParsedChunk& chunk = block_.chunks.emplace_back();
    if (random_() % 3 == 0 && !from.occurrences.empty()) tokens.assign(random_() % 20, 0);
    for (const std::uint32_t occurrence : from.occurrences) {
      const std::string_view text = from.term_text(from.terms[occurrence]);
      tokens.insert(tokens.end(), text.begin(), text.end());
      tokens.insert(tokens.end(), random_() % 8 == 0 ? 1 + random_() % 70 : 1, 0);
    }
    chunk.tokens = tokens;
    chunk.positions = from.positions;
    chunk.lengths = from.lengths;
    chunk.word_sums = {sum_words(tokens), sum_words(bytes_of(from.lengths)), sum_words(bytes_of(from.positions))};
    chunk.documents = from.documents;
    chunk.texts = from.texts;
    chunk.open_strings = from.open_strings;
    chunk.open_fields = from.open_fields;
    chunk.open_length = from.open_length;
    chunk.continued_length = from.continued_length;
    chunk.document_count = from.document_count;
    chunk.occurrence_count = from.occurrence_count;
    chunk.first_document_open = from.first_document_open;
    chunk.last_document_open = from.last_document_open;
    chunk.has_stored_ids = from.has_stored_ids;
    chunk.sum = sum_of_long_tokens(from);
  }

  static ContentChecksum sum_of_long_tokens(const ParsedChunk& from) {
    ContentChecksum sum;
    std::size_t at = 0;
    for (std::uint32_t document = 0; document < from.lengths.size(); ++document) {
      const std::uint64_t power = document_power(document);
      for (std::uint32_t i = 0; i < from.lengths[document]; ++i, ++at) {
        const std::string_view text = from.term_text(from.terms[from.occurrences[at]]);
        if (text.size() <= kShortTokenBytes) continue;
        const TermHash hash = hash_term(text);
        sum.add(hash, power);
        if (from.positions.empty()) continue;
        sum.add_positions(hash, field61::multiply(power, position_value(from.positions[at])));
      }
    }
    return sum;
  }

  std::mt19937_64 random_;
  std::vector<std::vector<std::uint8_t>> tokens_;
  Block block_;
};

}  // namespace spillway::testing
