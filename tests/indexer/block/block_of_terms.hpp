// Blocks whose chunks have given terms and nothing else.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "indexer/block/block.hpp"

namespace spillway::testing {

inline Block block_of(const std::vector<std::vector<std::string>>& chunks, MemoryBudget& budget) {
  Block block;
  for (const std::vector<std::string>& terms : chunks) {
    std::size_t bytes = 0;
    for (const std::string& term : terms) bytes += term.size();
    ParsedChunk chunk;
    chunk.memory = Buffer(budget, terms.size() * sizeof(ChunkTerm) + bytes, "test");
    auto* const entries = reinterpret_cast<ChunkTerm*>(chunk.memory.data());
    std::uint8_t* const text = chunk.memory.data() + terms.size() * sizeof(ChunkTerm);
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      entries[i].text_offset = at;
      entries[i].text_bytes = static_cast<std::uint32_t>(terms[i].size());
      std::copy(terms[i].begin(), terms[i].end(), text + at);
      at += entries[i].text_bytes;
    }
    static_cast<ChunkTerms&>(chunk.content.emplace<ChunkPostings>()) = {{entries, terms.size()}, {text, bytes}};
    block.chunks.push_back(std::move(chunk));
  }
  return block;
}

// Up to `most_chunks` chunks of up to 200 terms of all lengths, many of them in several chunks.
inline std::vector<std::vector<std::string>> random_chunks(std::uint64_t seed, std::size_t most_chunks = 8) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::string>> chunks(1 + random() % most_chunks);
  for (auto& terms : chunks) {
    std::map<std::string, bool> distinct;
    const std::size_t count = random() % 200;
    while (distinct.size() < count) {
      std::string term;
      const std::size_t bytes = 1 + random() % (random() % 10 == 0 ? 300 : 5);
      while (term.size() < bytes) term.push_back("abc\0\xFF"[random() % 5]);
      distinct[term] = true;
    }
    for (const auto& [term, unused] : distinct) terms.push_back(term);
    std::shuffle(terms.begin(), terms.end(), random);
  }
  return chunks;
}

}  // namespace spillway::testing
