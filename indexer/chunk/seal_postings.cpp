#include "indexer/chunk/seal_postings.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "io/base/byte_order.hpp"

namespace spillway {

namespace {

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

// Words of the cursors for each entry: its place among the postings, and with positions among the distances.
std::size_t cursor_words(const PostingStream& stream) { return stream.positions == Positions::kStored ? 2 : 1; }

// The terms that have postings, about in their order: the lists that a block concatenates then lie close together in
// each of its chunks.
std::span<const std::uint32_t> listed_entries(TermTable& table, const PostingStream& stream) {
  const std::size_t words = cursor_words(stream), entries = stream.cursors.size() / (words + 2);
  std::uint32_t *const first = stream.cursors.data() + words * entries, *const second = first + entries;
  std::size_t count = 0;
  for (std::uint32_t i = 1; i <= table.size(); ++i) {
    if (TermTable::is_term(table[i]) && table.state(i).document_count != 0) first[count++] = i;
  }
  order_by_digit(table, 0, {first, count}, second);
  order_by_digit(table, kDigitBits, {second, count}, first);
  return {first, count};
}

struct Sizes {
  std::size_t text = 0, postings = 0;
};

Sizes add_up(TermTable& table, std::span<const std::uint32_t> listed) {
  Sizes sizes;
  for (const std::uint32_t i : listed) {
    sizes.text += table.key_of(table[i]).size();
    sizes.postings += table.state(i).posting_bytes + kListPadding;
  }
  return sizes;
}

// Fills the terms, their texts and their lists, and sets the cursors.
void lay_out_lists(TermTable& table, std::span<const std::uint32_t> listed, const PostingStream& stream,
                   std::span<ChunkTerm> terms, std::span<ChunkList> lists, std::uint8_t* text) {
  const std::size_t stride = cursor_words(stream);
  std::uint32_t text_offset = 0, posting_offset = 0;
  for (std::size_t n = 0; n < listed.size(); ++n) {
    const std::uint32_t i = listed[n];
    const std::string_view key = table.key_of(table[i]);
    std::memcpy(text + text_offset, key.data(), key.size());
    terms[n] = {text_offset, static_cast<std::uint32_t>(key.size())};
    text_offset += terms[n].text_bytes;
    const TermState& state = table.state(i);
    lists[n] = {posting_offset, state.posting_bytes, state.document_count, state.occurrence_count,
                state.last_document - 1};
    stream.cursors[stride * i] = posting_offset;
    posting_offset += state.posting_bytes + kListPadding;
  }
}

// memcpy() without a call for few bytes, as most lists of distances have.
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

// Postings by which prefetching runs ahead.
constexpr std::size_t kPlacedAhead = 16;

// Words in the stream of a posting that begins with `head`.
inline std::size_t posting_words(std::uint32_t head) { return head >> kEntryBits != 0 ? 2 : 3; }

// Writes a posting of the stream to its list, and returns its end. Requires: kListPadding writable bytes after it.
inline std::uint8_t* write_posting(const std::uint32_t* posting, std::uint8_t* to) {
  const std::uint32_t bytes = posting[0] >> kEntryBits;
  if (bytes != 0) {
    store_le<std::uint32_t>(to, posting[1]);
    return to + bytes;
  }
  to = write_varint(to, posting[1]);
  return (posting[1] & 1) != 0 ? to : write_varint(to, posting[2]);
}

// The counting sort by term, of postings and their distances.
template <bool kPositioned>
void scatter_postings(const PostingStream& stream, std::uint8_t* postings, std::uint8_t* distances) {
  constexpr std::size_t kStride = kPositioned ? 2 : 1;
  const std::span<const std::uint32_t> words = stream.words;
  const std::uint8_t* from = stream.distances.data();
  std::size_t ahead = 0;
  const auto ask_ahead = [&] {
    if (ahead >= words.size()) return;
    __builtin_prefetch(postings + stream.cursors[kStride * (words[ahead] & kEntryMask)], 1);
    ahead += posting_words(words[ahead]) + (kPositioned ? 1 : 0);
  };
  for (std::size_t i = 0; i < kPlacedAhead; ++i) ask_ahead();
  for (std::size_t at = 0; at < words.size();) {
    ask_ahead();
    std::uint32_t* const cursors = stream.cursors.data() + kStride * (words[at] & kEntryMask);
    cursors[0] = static_cast<std::uint32_t>(write_posting(&words[at], postings + cursors[0]) - postings);
    at += posting_words(words[at]);
    if constexpr (kPositioned) {
      const std::uint32_t bytes = words[at++];
      copy_short(from, bytes, distances + cursors[1]);
      cursors[1] += bytes;
      from += bytes;
    }
  }
}

// Gives each listed term its range of the distances.
void lay_out_distances(TermTable& table, std::span<const std::uint32_t> listed, const PostingStream& stream,
                       std::span<DistanceRange> ranges) {
  std::uint32_t offset = 0;
  for (std::size_t n = 0; n < listed.size(); ++n) {
    ranges[n] = {offset, table[listed[n]].distance_bytes};
    stream.cursors[2 * listed[n] + 1] = offset;
    offset += ranges[n].bytes;
  }
}

void measure_lists(ChunkPostings& content) {
  for (std::size_t i = 0; i < content.lists.size(); ++i) {
    content.posting_count += content.lists[i].document_count;
    const std::size_t distance_bytes = content.distance_ranges.empty() ? 0 : content.distance_ranges[i].bytes;
    content.largest_list_bytes = std::max(content.largest_list_bytes, content.lists[i].posting_bytes + distance_bytes);
  }
}

}  // namespace

ParsedChunk seal_postings(TermTable& table, const ChunkDocuments& documents, const PostingStream& stream,
                          MemoryBudget& budget) {
  const std::span<const std::uint32_t> listed = listed_entries(table, stream);
  const Sizes sizes = add_up(table, listed);
  const std::size_t ranges = stream.positions == Positions::kStored ? listed.size() : 0;
  ParsedChunk chunk;
  chunk.memory = Buffer(budget,
                        listed.size() * (sizeof(ChunkTerm) + sizeof(ChunkList)) + ranges * sizeof(DistanceRange) +
                            sizes.text + sizes.postings + stream.distances.size() + documents.array_bytes(),
                        "a parsed chunk");
  ArrayWriter arrays(chunk.memory.data());
  const auto terms = arrays.take<ChunkTerm>(listed.size());
  const auto lists = arrays.take<ChunkList>(listed.size());
  const auto distance_ranges = arrays.take<DistanceRange>(ranges);
  const auto text = arrays.take<std::uint8_t>(sizes.text);
  const auto postings = arrays.take<std::uint8_t>(sizes.postings);
  const auto distances = arrays.take<std::uint8_t>(stream.distances.size());
  lay_out_lists(table, listed, stream, terms, lists, text.data());
  if (ranges != 0) {
    lay_out_distances(table, listed, stream, distance_ranges);
    scatter_postings<true>(stream, postings.data(), distances.data());
  } else {
    scatter_postings<false>(stream, postings.data(), nullptr);
  }
  auto& content =
      chunk.content.emplace<ChunkPostings>(ChunkPostings{{terms, text}, lists, postings, distances, distance_ranges});
  measure_lists(content);
  static_cast<ChunkDocuments&>(chunk) = documents;
  chunk.move_arrays(arrays);
  return chunk;
}

}  // namespace spillway
