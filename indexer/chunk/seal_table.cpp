#include "indexer/chunk/seal_table.hpp"

#include <cstring>

namespace spillway {

namespace {

// Numbers the terms, and copies their texts.
void lay_out_terms(TermTable& table, std::span<ChunkTerm> terms, std::uint8_t* text, std::span<std::uint32_t> numbers) {
  std::uint32_t number = 0, offset = 0;
  for (std::uint32_t i = 1; i <= table.size(); ++i) {
    if (!TermTable::is_term(table[i])) continue;
    const std::string_view key = table.key_of(table[i]);
    std::memcpy(text + offset, key.data(), key.size());
    terms[number] = {offset, static_cast<std::uint32_t>(key.size())};
    offset += terms[number].text_bytes;
    numbers[i] = number++;
  }
}

}  // namespace

ParsedChunk seal_table(TermTable& table, const ChunkDocuments& documents, const OccurrenceStream& stream,
                       MemoryBudget& budget) {
  std::size_t term_count = 0, text_bytes = 0;
  for (std::uint32_t i = 1; i <= table.size(); ++i) {
    if (!TermTable::is_term(table[i])) continue;
    ++term_count;
    text_bytes += table.key_of(table[i]).size();
  }
  const bool positioned = stream.positions == Positions::kStored;
  const std::size_t stride = positioned ? 2 : 1, count = stream.words.size() / stride;
  ParsedChunk chunk;
  chunk.memory = Buffer(budget,
                        term_count * sizeof(ChunkTerm) + stream.words.size_bytes() + stream.lengths.size_bytes() +
                            text_bytes + documents.array_bytes(),
                        "a parsed chunk");
  ArrayWriter arrays(chunk.memory.data());
  const auto terms = arrays.take<ChunkTerm>(term_count);
  const auto occurrences = arrays.take<std::uint32_t>(count);
  const auto positions = arrays.take<std::uint32_t>(positioned ? count : 0);
  ChunkTable& content = chunk.content.emplace<ChunkTable>();
  content.lengths = arrays.copy(stream.lengths);
  const auto text = arrays.take<std::uint8_t>(text_bytes);
  lay_out_terms(table, terms, text.data(), stream.numbers);
  for (std::size_t i = 0; i < count; ++i) occurrences[i] = stream.numbers[stream.words[stride * i]];
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = stream.words[2 * i + 1];
  content.terms = terms;
  content.text = text;
  content.occurrences = occurrences;
  content.positions = positions;
  static_cast<ChunkDocuments&>(chunk) = documents;
  chunk.move_arrays(arrays);
  return chunk;
}

}  // namespace spillway
