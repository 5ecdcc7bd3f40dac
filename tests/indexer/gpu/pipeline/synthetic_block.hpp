// Blocks of random terms, made in parallel and without a parser and its libraries.
#pragma once

#include <tbb/parallel_for.h>

#include <cmath>
#include <deque>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "indexer/block/block.hpp"
#include "io/base/varint.hpp"
#include "io/format/content_options.hpp"
#include "io/format/cursors.hpp"

namespace spillway::testing {

struct SyntheticShape {
  std::uint64_t seed = 1;
  std::size_t chunks = 3;
  std::size_t documents = 10;  // in each chunk
  std::size_t tokens = 50;     // the most in a document; half as many on average
  double vocabulary = 1000;    // terms, with frequencies by Zipf's law
  std::size_t longest_term_bytes = 12;
  bool cut_documents = false;  // the last document of each chunk goes on in the next
  Positions positions = Positions::kNone;
};

// The stored fields of the documents are left out.
class SyntheticBlock {
 public:
  explicit SyntheticBlock(const SyntheticShape& shape) : shape_(shape), chunks_(shape.chunks) {
    block_.chunks.resize(shape.chunks);
    tbb::parallel_for(std::size_t{0}, shape.chunks, [&](std::size_t c) { make_chunk(c); });
  }
  const Block& block() const { return block_; }

 private:
  struct Chunk {
    std::vector<ChunkTerm> terms;
    std::vector<std::uint8_t> text, documents;
    std::vector<std::uint32_t> occurrences, positions, lengths;
    std::vector<TermHash> hashes;  // of the terms
  };

  static std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCDULL;
    return value ^ value >> 33;
  }

  std::string term(std::uint64_t number) const {
    std::uint64_t random = mix(number + 1);
    std::string text;
    for (std::uint64_t rest = number; text.empty() || rest != 0; rest /= 26) {
      text.push_back(static_cast<char>('a' + rest % 26));
    }
    const std::size_t bytes = random % shape_.longest_term_bytes;
    while (text.size() < bytes) {
      random = mix(random);
      text.push_back(static_cast<char>('a' + random % 3));
    }
    return text;
  }

  void make_chunk(std::size_t c) {
    Chunk& chunk = chunks_[c];
    std::mt19937_64 random(shape_.seed * 1000003 + c);
    std::unordered_map<std::uint64_t, std::uint32_t> table;
    const double log_vocabulary = std::log(shape_.vocabulary);
    for (std::size_t d = 0; d < shape_.documents; ++d) {
      const std::size_t tokens = shape_.tokens == 0 ? 0 : random() % shape_.tokens;
      for (std::size_t i = 0; i < tokens; ++i) {
        const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
        const auto number = static_cast<std::uint64_t>(std::exp(uniform * log_vocabulary)) - 1;
        const auto [entry, is_new] = table.try_emplace(number, static_cast<std::uint32_t>(table.size()));
        if (is_new) add_term(chunk, number);
        chunk.occurrences.push_back(entry->second);
        // Positions of a cut document ascend: those in chunk c begin at c << 22, above those of earlier chunks.
        if (shape_.positions == Positions::kStored) {
          chunk.positions.push_back(static_cast<std::uint32_t>((d == 0 ? c << 22 : 0) + 3 * i));
        }
      }
      chunk.lengths.push_back(static_cast<std::uint32_t>(tokens));
    }
    describe(c, chunk);
  }

  void add_term(Chunk& chunk, std::uint64_t number) const {
    const std::string text = term(number);
    ChunkTerm& entry = chunk.terms.emplace_back();
    entry.text_offset = static_cast<std::uint32_t>(chunk.text.size());
    entry.text_bytes = static_cast<std::uint32_t>(text.size());
    chunk.text.insert(chunk.text.end(), text.begin(), text.end());
    chunk.hashes.push_back(hash_term(text));
  }

  static ContentChecksum sum_of(const Chunk& chunk) {
    ContentChecksum sum;
    std::size_t at = 0;
    for (std::size_t d = 0; d < chunk.lengths.size(); ++d) {
      ContentChecksum of_document;
      for (const std::size_t end = at + chunk.lengths[d]; at < end; ++at) {
        const TermHash& hash = chunk.hashes[chunk.occurrences[at]];
        of_document.add(hash, 1);
        if (!chunk.positions.empty()) of_document.add_positions(hash, position_value(chunk.positions[at]));
      }
      sum.join(of_document, d);
    }
    return sum;
  }

  void describe(std::size_t c, Chunk& chunk) {
    ParsedChunk& parsed = block_.chunks[c];
    const bool first_open = shape_.cut_documents && c != 0;
    const bool last_open = shape_.cut_documents && c + 1 != shape_.chunks;
    for (std::size_t d = 0; d + (last_open ? 1 : 0) < chunk.lengths.size(); ++d) {
      std::uint8_t entry[1 + kMaxVarintBytes] = {0};
      chunk.documents.insert(chunk.documents.end(), entry, write_varint(entry + 1, chunk.lengths[d]));
    }
    parsed.content = ChunkTable{{chunk.terms, chunk.text}, chunk.lengths, chunk.positions, chunk.occurrences};
    parsed.documents = chunk.documents;
    parsed.document_count = static_cast<std::uint32_t>(chunk.lengths.size());
    parsed.occurrence_count = chunk.occurrences.size();
    parsed.sum = sum_of(chunk);
    parsed.first_document_open = first_open;
    parsed.last_document_open = last_open;
    if (first_open) parsed.continued_length = chunk.lengths.front();
    if (last_open) parsed.open_length = chunk.lengths.back();
  }

  SyntheticShape shape_;
  std::vector<Chunk> chunks_;
  Block block_;
};

}  // namespace spillway::testing
