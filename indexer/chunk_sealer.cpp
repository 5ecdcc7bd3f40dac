#include "indexer/chunk_sealer.hpp"

#include <cstring>

namespace spillway {

namespace {

struct Sizes {
  std::size_t terms = 0, text = 0, postings = 0;
};

// Closes the last posting of every term: it is written straight to its place later, so only its bytes count here.
Sizes finish_folding(TermTable& table, ChunkForm form) {
  Sizes sizes;
  std::uint32_t unused[3];
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    TableEntry& entry = table[i];
    if (!TermTable::is_term(entry)) continue;
    if (form == ChunkForm::kPostings && entry.open_document == 0) continue;
    if (form == ChunkForm::kPostings) emit_posting(entry, i, unused);
    ++sizes.terms;
    sizes.text += table.key_of(entry).size();
    sizes.postings += entry.posting_bytes;
  }
  return sizes;
}

template <typename T>
std::span<T> take(std::uint8_t*& at, std::size_t count) {
  const std::span<T> result(reinterpret_cast<T*>(at), count);
  at += count * sizeof(T);
  return result;
}

// Lists the terms and gives each its place among the postings: the entry's posting_bytes becomes its cursor.
void lay_out_terms(TermTable& table, ChunkForm form, std::span<ChunkTerm> terms, std::uint8_t* text) {
  std::uint32_t number = 0, text_offset = 0, posting_offset = 0;
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    TableEntry& entry = table[i];
    if (!TermTable::is_term(entry)) continue;
    if (form == ChunkForm::kPostings && entry.open_document == 0) continue;
    const std::string_view key = table.key_of(entry);
    std::memcpy(text + text_offset, key.data(), key.size());
    ChunkTerm& term = terms[number];
    term.text_offset = text_offset;
    term.text_bytes = static_cast<std::uint32_t>(key.size());
    text_offset += term.text_bytes;
    if (form == ChunkForm::kOccurrences) {
      entry.posting_bytes = number++;
      continue;
    }
    term.posting_offset = posting_offset;
    term.posting_bytes = entry.posting_bytes;
    term.document_count = entry.document_count;
    term.occurrence_count = entry.occurrence_count;
    term.last_document = entry.last_document - 1;
    entry.posting_bytes = posting_offset;
    posting_offset += term.posting_bytes;
    ++number;
  }
}

void write_posting(TableEntry& entry, std::uint32_t gap_word, std::uint32_t frequency, std::uint8_t* postings) {
  std::uint8_t* const begin = postings + entry.posting_bytes;
  std::uint8_t* end = write_varint(begin, gap_word);
  if ((gap_word & 1) == 0) end = write_varint(end, frequency);
  entry.posting_bytes += static_cast<std::uint32_t>(end - begin);
  entry.action += gap_word >> 1;  // the last document written
}

void scatter_postings(TermTable& table, std::span<const std::uint32_t> stream, std::uint8_t* postings) {
  for (std::uint32_t i = 0; i < table.size(); ++i) table[i].action = 0;
  for (std::size_t at = 0; at < stream.size();) {
    const std::uint32_t gap_word = stream[at + 1];
    const bool single = (gap_word & 1) != 0;
    write_posting(table[stream[at]], gap_word, single ? 1 : stream[at + 2], postings);
    at += single ? 2 : 3;
  }
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    TableEntry& entry = table[i];
    if (!TermTable::is_term(entry) || entry.open_document == 0) continue;
    const std::uint32_t gap = (entry.open_document - 1 - entry.action) << 1;
    write_posting(entry, entry.frequency == 1 ? gap | 1 : gap, entry.frequency, postings);
  }
}

}  // namespace

ParsedChunk seal_chunk(TermTable& table, const ChunkContents& contents, MemoryBudget& budget) {
  const Sizes sizes = finish_folding(table, contents.form);
  const bool plain = contents.form == ChunkForm::kOccurrences;
  const std::size_t occurrences = plain ? contents.stream.size() : 0;
  ParsedChunk chunk;
  chunk.memory =
      Buffer(budget,
             sizes.terms * sizeof(ChunkTerm) + (occurrences + contents.lengths.size()) * sizeof(std::uint32_t) +
                 sizes.text + sizes.postings + contents.documents.size() + contents.open_strings.size(),
             "a parsed chunk");
  std::uint8_t* at = chunk.memory.data();
  const auto terms = take<ChunkTerm>(at, sizes.terms);
  const auto plain_occurrences = take<std::uint32_t>(at, occurrences);
  const auto lengths = take<std::uint32_t>(at, contents.lengths.size());
  const auto text = take<std::uint8_t>(at, sizes.text);
  const auto postings = take<std::uint8_t>(at, sizes.postings);
  const auto documents = take<std::uint8_t>(at, contents.documents.size());
  const auto open_strings = take<std::uint8_t>(at, contents.open_strings.size());

  lay_out_terms(table, contents.form, terms, text.data());
  if (plain) {
    for (std::size_t i = 0; i < occurrences; ++i) plain_occurrences[i] = table[contents.stream[i]].posting_bytes;
    std::copy(contents.lengths.begin(), contents.lengths.end(), lengths.begin());
  } else {
    scatter_postings(table, contents.stream, postings.data());
  }
  std::copy(contents.documents.begin(), contents.documents.end(), documents.begin());
  std::copy(contents.open_strings.begin(), contents.open_strings.end(), open_strings.begin());
  chunk.open_strings = open_strings;
  chunk.terms = terms;
  chunk.occurrences = plain_occurrences;
  chunk.lengths = lengths;
  chunk.text = text;
  chunk.postings = postings;
  chunk.documents = documents;
  return chunk;
}

}  // namespace spillway
