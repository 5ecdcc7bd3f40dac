#include "indexer/chunk/sealer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "io/base/byte_order.hpp"

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

// Words of ChunkContents::cursors for each entry of the table, before those that listed_entries() works with.
std::size_t cursor_words(const ChunkContents& contents) {
  return contents.form == ChunkForm::kPostings && contents.positions == Positions::kStored ? 2 : 1;
}

std::uint32_t first_bytes(std::string_view key) {
  const auto byte = [&](std::size_t i) { return i < key.size() ? static_cast<std::uint8_t>(key[i]) : 0U; };
  return byte(0) << 16 | byte(1) << 8 | byte(2);
}

constexpr unsigned kDigitBits = 12;

// A step of a radix sort by the first three bytes of the terms.
void order_by_digit(TermTable& table, unsigned shift, std::span<const std::uint32_t> from, std::uint32_t* to) {
  constexpr std::uint32_t kDigits = 1U << kDigitBits;
  const auto digit = [&](std::uint32_t number) {
    return first_bytes(table.key_of(table[number])) >> shift & (kDigits - 1);
  };
  std::array<std::uint32_t, kDigits> places{};
  for (const std::uint32_t number : from) ++places[digit(number)];
  std::exclusive_scan(places.begin(), places.end(), places.begin(), 0U);
  for (const std::uint32_t number : from) to[places[digit(number)]++] = number;
}

// The entries that the chunk lists; those with lists about in the order of their terms: what a block joins in that
// order lies close together then, whichever chunks it is in.
std::span<const std::uint32_t> listed_entries(TermTable& table, const ChunkContents& contents) {
  const std::size_t words = cursor_words(contents);
  const std::size_t entries = contents.cursors.size() / (words + 2);
  std::uint32_t *const first = contents.cursors.data() + words * entries, *const second = first + entries;
  std::size_t count = 0;
  for (std::uint32_t i = 1; i <= table.size(); ++i) {
    if (is_listed(table, contents.form, i)) first[count++] = i;
  }
  if (contents.form == ChunkForm::kOccurrences) return {first, count};
  order_by_digit(table, 0, {first, count}, second);
  order_by_digit(table, kDigitBits, {second, count}, first);
  return {first, count};
}

Sizes add_up(TermTable& table, std::span<const std::uint32_t> listed) {
  Sizes sizes;
  for (const std::uint32_t i : listed) {
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

// Lists the terms. cursors: kPostings, each entry's place among the postings, with positions in every second word;
// kOccurrences, its number in the list.
void lay_out_terms(TermTable& table, const ChunkContents& contents, std::span<const std::uint32_t> listed,
                   std::span<ChunkTerm> terms, std::uint8_t* text) {
  const std::size_t stride = cursor_words(contents);
  std::uint32_t number = 0, text_offset = 0, posting_offset = 0;
  for (const std::uint32_t i : listed) {
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
    contents.cursors[stride * i] = posting_offset;
    posting_offset += term.posting_bytes + kListPadding;
    ++number;
  }
}

// memcpy() of few bytes, as most lists of distances have, without a call.
void copy_short(const std::uint8_t* from, std::uint32_t bytes, std::uint8_t* to) {
  if (bytes >= 16) {
    std::memcpy(to, from, bytes);
  } else if (bytes >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + bytes - 8, from + bytes - 8, 8);
  } else if (bytes >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + bytes - 4, from + bytes - 4, 4);
  } else {
    to[0] = from[0];
    to[bytes / 2] = from[bytes / 2];
    to[bytes - 1] = from[bytes - 1];
  }
}

// Postings of which the memory is asked for before they are placed.
constexpr std::size_t kPlacedAhead = 16;

// Words in the stream of a posting that begins with `head`.
inline std::size_t posting_words(std::uint32_t head) { return head >> kEntryBits != 0 ? 2 : 3; }

// Writes a posting of the stream to its list; returns its end. Requires: kListPadding writable bytes behind it.
inline std::uint8_t* write_posting(const std::uint32_t* posting, std::uint8_t* to) {
  const std::uint32_t bytes = posting[0] >> kEntryBits;
  if (bytes != 0) {
    store_le<std::uint32_t>(to, posting[1]);
    return to + bytes;
  }
  to = write_varint(to, posting[1]);
  return (posting[1] & 1) != 0 ? to : write_varint(to, posting[2]);
}

// The counting sort by term: postings, and with them their distances.
template <bool kPositioned>
void scatter_postings(const ChunkContents& contents, std::uint8_t* postings, std::uint8_t* distances) {
  constexpr std::size_t kStride = kPositioned ? 2 : 1;
  const std::span<const std::uint32_t> stream = contents.stream;
  const std::uint8_t* from = contents.distances.data();
  std::size_t ahead = 0;
  const auto ask_ahead = [&] {
    if (ahead >= stream.size()) return;
    __builtin_prefetch(postings + contents.cursors[kStride * (stream[ahead] & kEntryMask)], 1);
    ahead += posting_words(stream[ahead]) + (kPositioned ? 1 : 0);
  };
  for (std::size_t i = 0; i < kPlacedAhead; ++i) ask_ahead();
  for (std::size_t at = 0; at < stream.size();) {
    ask_ahead();
    std::uint32_t* const cursors = contents.cursors.data() + kStride * (stream[at] & kEntryMask);
    cursors[0] = static_cast<std::uint32_t>(write_posting(&stream[at], postings + cursors[0]) - postings);
    at += posting_words(stream[at]);
    if constexpr (kPositioned) {
      const std::uint32_t bytes = stream[at++];
      copy_short(from, bytes, distances + cursors[1]);
      cursors[1] += bytes;
      from += bytes;
    }
  }
}

// Gives each listed term its place among the distances.
void lay_out_distances(TermTable& table, const ChunkContents& contents, std::span<const std::uint32_t> listed,
                       std::span<PositionPart> parts) {
  std::uint32_t number = 0, offset = 0;
  for (const std::uint32_t i : listed) {
    const std::uint32_t bytes = table[i].distance_bytes;
    parts[number++] = {offset, bytes};
    contents.cursors[2 * i + 1] = offset;
    offset += bytes;
  }
}

}  // namespace

ParsedChunk seal_chunk(TermTable& table, const ChunkContents& contents, MemoryBudget& budget) {
  const std::span<const std::uint32_t> listed = listed_entries(table, contents);
  Sizes sizes = add_up(table, listed);
  const bool plain = contents.form == ChunkForm::kOccurrences;
  if (!plain) sizes.postings += kListPadding * sizes.terms;
  const bool positioned = contents.positions == Positions::kStored;
  const std::size_t stride = positioned ? 2 : 1;  // words of an occurrence
  const std::size_t occurrences = plain ? contents.stream.size() / stride : 0;
  const std::size_t parts = positioned && !plain ? sizes.terms : 0;
  const std::size_t distance_bytes = parts != 0 ? contents.distances.size() : 0;
  ParsedChunk chunk;
  chunk.memory = Buffer(budget,
                        sizes.terms * sizeof(ChunkTerm) + parts * sizeof(PositionPart) +
                            (stride * occurrences + contents.parts.lengths.size()) * sizeof(std::uint32_t) +
                            sizes.text + sizes.postings + distance_bytes + contents.parts.documents.size() +
                            contents.parts.open_strings.size() + contents.parts.texts.size(),
                        "a parsed chunk");
  std::uint8_t* at = chunk.memory.data();
  const auto terms = take<ChunkTerm>(at, sizes.terms);
  const auto distance_parts = take<PositionPart>(at, parts);
  const auto plain_occurrences = take<std::uint32_t>(at, occurrences);
  const auto plain_positions = take<std::uint32_t>(at, positioned ? occurrences : 0);
  const auto lengths = take<std::uint32_t>(at, contents.parts.lengths.size());
  const auto text = take<std::uint8_t>(at, sizes.text);
  const auto postings = take<std::uint8_t>(at, sizes.postings);
  const auto distances = take<std::uint8_t>(at, distance_bytes);
  const auto documents = take<std::uint8_t>(at, contents.parts.documents.size());
  const auto open_strings = take<std::uint8_t>(at, contents.parts.open_strings.size());
  const auto texts = take<std::uint8_t>(at, contents.parts.texts.size());

  lay_out_terms(table, contents, listed, terms, text.data());
  if (plain) {
    for (std::size_t i = 0; i < occurrences; ++i) plain_occurrences[i] = contents.cursors[contents.stream[stride * i]];
    for (std::size_t i = 0; i < plain_positions.size(); ++i) plain_positions[i] = contents.stream[2 * i + 1];
    std::copy(contents.parts.lengths.begin(), contents.parts.lengths.end(), lengths.begin());
  } else {
    if (parts != 0) {
      lay_out_distances(table, contents, listed, distance_parts);
      scatter_postings<true>(contents, postings.data(), distances.data());
    } else {
      scatter_postings<false>(contents, postings.data(), nullptr);
    }
  }
  std::copy(contents.parts.documents.begin(), contents.parts.documents.end(), documents.begin());
  std::copy(contents.parts.open_strings.begin(), contents.parts.open_strings.end(), open_strings.begin());
  std::copy(contents.parts.texts.begin(), contents.parts.texts.end(), texts.begin());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    chunk.posting_count += terms[i].document_count;
    const std::size_t list_bytes = terms[i].posting_bytes + (parts != 0 ? distance_parts[i].bytes : 0);
    chunk.largest_list_bytes = std::max(chunk.largest_list_bytes, list_bytes);
  }
  chunk.texts = texts;
  chunk.open_strings = open_strings;
  chunk.terms = terms;
  chunk.occurrences = plain_occurrences;
  chunk.lengths = lengths;
  chunk.distances = distances;
  chunk.distance_parts = distance_parts;
  chunk.positions = plain_positions;
  chunk.text = text;
  chunk.postings = postings;
  chunk.documents = documents;
  return chunk;
}

}  // namespace spillway
