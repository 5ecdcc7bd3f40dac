#include "indexer/chunk_sealer.hpp"

#include <cstring>

namespace spillway {

namespace {

struct Sizes {
  std::size_t terms = 0, text = 0, postings = 0;
};

// Does the chunk list this entry?
bool is_listed(TermTable& table, ChunkForm form, std::uint32_t number) {
  if (!TermTable::is_term(table[number])) return false;
  return form == ChunkForm::kOccurrences || table.state(number).document_count != 0;
}

Sizes add_up(TermTable& table, ChunkForm form) {
  Sizes sizes;
  for (std::uint32_t i = 1; i <= table.size(); ++i) {
    if (!is_listed(table, form, i)) continue;
    ++sizes.terms;
    sizes.text += table.key_of(table[i]).size();
    sizes.postings += table.state(i).posting_bytes;
  }
  return sizes;
}

template <typename T>
std::span<T> take(std::uint8_t*& at, std::size_t count) {
  const std::span<T> result(reinterpret_cast<T*>(at), count);
  at += count * sizeof(T);
  return result;
}

// Lists the terms. cursors: kPostings, each entry's place among the postings; kOccurrences, its number in the list.
void lay_out_terms(TermTable& table, const ChunkContents& contents, std::span<ChunkTerm> terms, std::uint8_t* text) {
  std::uint32_t number = 0, text_offset = 0, posting_offset = 0;
  for (std::uint32_t i = 1; i <= table.size(); ++i) {
    if (!is_listed(table, contents.form, i)) continue;
    const std::string_view key = table.key_of(table[i]);
    std::memcpy(text + text_offset, key.data(), key.size());
    ChunkTerm& term = terms[number];
    term.text_offset = text_offset;
    term.text_bytes = static_cast<std::uint32_t>(key.size());
    text_offset += term.text_bytes;
    if (contents.form == ChunkForm::kOccurrences) {
      contents.cursors[i] = number++;
      continue;
    }
    const TermState& state = table.state(i);
    term.posting_offset = posting_offset;
    term.posting_bytes = state.posting_bytes;
    term.document_count = state.document_count;
    term.occurrence_count = state.occurrence_count;
    term.last_document = state.last_document - 1;
    contents.cursors[i] = posting_offset;
    posting_offset += term.posting_bytes;
    ++number;
  }
}

void scatter_postings(const ChunkContents& contents, std::uint8_t* postings) {
  const std::span<const std::uint32_t> stream = contents.stream;
  for (std::size_t at = 0; at < stream.size();) {
    std::uint32_t& cursor = contents.cursors[stream[at]];
    const std::uint32_t gap_word = stream[at + 1];
    std::uint8_t* end = write_varint(postings + cursor, gap_word);
    if ((gap_word & 1) == 0) end = write_varint(end, stream[at + 2]);
    cursor = static_cast<std::uint32_t>(end - postings);
    at += (gap_word & 1) != 0 ? 2 : 3;
  }
}

}  // namespace

ParsedChunk seal_chunk(TermTable& table, const ChunkContents& contents, MemoryBudget& budget) {
  const Sizes sizes = add_up(table, contents.form);
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

  lay_out_terms(table, contents, terms, text.data());
  if (plain) {
    for (std::size_t i = 0; i < occurrences; ++i) plain_occurrences[i] = contents.cursors[contents.stream[i]];
    std::copy(contents.lengths.begin(), contents.lengths.end(), lengths.begin());
  } else {
    scatter_postings(contents, postings.data());
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
