// Makes blocks of tokens (ChunkForm::kTokens) from blocks of tables: the same documents in the form in which a parser
// delivers tokens.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "indexer/block/block.hpp"

namespace spillway::testing {

// The other block lives longer: this one views its arrays.
class TokenBlock {
 public:
  // More than one 0 follows some tokens.
  TokenBlock(const Block& occurrences, std::uint64_t seed)
      : random_(seed), tokens_(occurrences.chunks.size()), runs_(occurrences.chunks.size()) {
    block_.number = occurrences.number;
    block_.last = occurrences.last;
    for (std::size_t c = 0; c < occurrences.chunks.size(); ++c) add_chunk(occurrences.chunks[c], tokens_[c]);
  }
  TokenBlock(const TokenBlock&) = delete;
  TokenBlock& operator=(const TokenBlock&) = delete;
  const Block& block() const { return block_; }
  Block& block() { return block_; }
  // The tokens of a chunk, which a test may damage; sum_tokens() then hides the damage from the checksums.
  std::vector<std::uint8_t>& tokens(std::size_t chunk) { return tokens_[chunk]; }
  std::vector<PositionRun>& runs(std::size_t chunk) { return runs_[chunk]; }
  // Moves tokens and positions into pinned slots, as parsers do, as far as there are slots and the chunks fit. Returns
  // the number of moved chunks. The pool lives longer.
  std::size_t move_to(PinnedSlotPool& pool) {
    std::size_t moved = 0;
    for (ParsedChunk& chunk : block_.chunks) {
      PinnedSlotPool::Slot slot = pool.take();
      ChunkTokens& content = std::get<ChunkTokens>(chunk.content);
      const std::size_t padded = (content.tokens.size() + kSummedBytes - 1) / kSummedBytes * kSummedBytes;
      if (padded + content.position_runs.size_bytes() > slot.span().size() || slot.empty()) continue;
      ArrayWriter arrays(slot.span().data());
      content.tokens = arrays.copy(content.tokens);
      std::ranges::fill(arrays.take<std::uint8_t>(padded - content.tokens.size()), std::uint8_t{0});
      content.position_runs = arrays.copy(content.position_runs);
      chunk.memory = ChunkMemory(std::move(slot), {});
      ++moved;
    }
    return moved;
  }
  void sum_tokens(std::size_t chunk) {
    std::get<ChunkTokens>(block_.chunks[chunk].content).checksums.tokens = sum_words(tokens_[chunk]);
  }

 private:
  void add_chunk(const ParsedChunk& from, std::vector<std::uint8_t>& tokens) {
    ParsedChunk& chunk = block_.chunks.emplace_back();
    const ChunkTable& table = from.table();
    if (random_() % 3 == 0 && !table.occurrences.empty()) tokens.assign(random_() % 20, 0);
    for (const std::uint32_t occurrence : table.occurrences) {
      const std::string_view text = table.term_text(occurrence);
      tokens.insert(tokens.end(), text.begin(), text.end());
      tokens.insert(tokens.end(), random_() % 8 == 0 ? 1 + random_() % 70 : 1, 0);
    }
    static_cast<ChunkDocuments&>(chunk) = from;
    chunk.sum = sum_of_long_tokens(from);
    std::vector<PositionRun>& runs = runs_[block_.chunks.size() - 1];
    for (std::uint32_t i = 0; i < table.positions.size(); ++i) {
      if (i == 0 || runs.back().position_of(i) != table.positions[i]) runs.push_back({i, table.positions[i]});
    }
    const std::span<const PositionRun> all_runs(runs);
    chunk.content = ChunkTokens{table.lengths,
                                all_runs,
                                tokens,
                                {sum_words(tokens), sum_words(bytes_of(table.lengths)), sum_words(bytes_of(all_runs))}};
  }

  static ContentChecksum sum_of_long_tokens(const ParsedChunk& chunk) {
    const ChunkTable& from = chunk.table();
    ContentChecksum sum;
    std::size_t at = 0;
    for (std::uint32_t document = 0; document < from.lengths.size(); ++document) {
      const std::uint64_t power = document_power(document);
      for (std::uint32_t i = 0; i < from.lengths[document]; ++i, ++at) {
        const std::string_view text = from.term_text(from.occurrences[at]);
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
  std::vector<std::vector<PositionRun>> runs_;
  Block block_;
};

}  // namespace spillway::testing
