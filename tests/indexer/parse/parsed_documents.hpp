// Parses documents with a ChunkParser, and reads parsed chunks back: for the tests of parsing and of block sorting.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "indexer/block/block.hpp"
#include "indexer/parse/build_term_table.hpp"
#include "indexer/parse/make_chunk_parser.hpp"
#include "io/base/varint.hpp"
#include "io/run/postings_decoder.hpp"
#include "tests/support/inverted_oracle.hpp"

namespace spillway::testing {

inline constexpr std::size_t kTestBudget = std::size_t{1} << 30;

struct QuietObserver final : ParseObserver {
  void skip(SkipReason, const SourcePlace&, std::string_view) override { ++skips; }
  void consumed(std::uint64_t input_bytes) override { bytes += input_bytes; }
  std::uint64_t skips = 0, bytes = 0;
};

// Gives the sink one document, its text in calls of at most `longest_fragment` bytes that end between characters.
inline void feed(DocumentSink& sink, const OracleDocument& document, std::size_t longest_fragment,
                 std::mt19937_64& random) {
  DocumentFields fields;
  fields.id = document.id;
  fields.title = document.title;
  fields.url = document.url;
  fields.date = document.date;
  fields.has_title = !document.title.empty();
  fields.has_url = !document.url.empty();
  fields.has_date = !document.date.empty();
  sink.begin(fields, {"input", 0});
  std::string_view text = document.text;
  while (!text.empty()) {
    std::size_t bytes = std::min<std::size_t>(text.size(), 1 + random() % longest_fragment);
    while (bytes < text.size() && (static_cast<std::uint8_t>(text[bytes]) & 0xC0) == 0x80) ++bytes;
    sink.text(std::string(text.substr(0, bytes)));  // a copy that dies with the call
    text.remove_prefix(bytes);
    if (random() % 8 == 0) sink.text({});
    sink.consumed(bytes);
  }
  sink.end();
}

struct Parsed {
  std::vector<ParsedChunk> chunks;
  ParseStats stats;
};

struct ParseSetting {
  ChunkForm form = ChunkForm::kPostings;
  ContentOptions options;
  ChunkLimits limits;
  std::size_t longest_fragment = 1000;
  std::size_t documents_in_task = ~std::size_t{0};
  std::uint64_t seed = 1;
  PinnedSlotPool* slots = nullptr;
  const TokenKernel* token_kernel = nullptr;
  bool hashes_texts = false;
};

inline Parsed parse_documents(const std::vector<OracleDocument>& documents, const ParseSetting& setting,
                              MemoryBudget& budget) {
  Parsed parsed;
  QuietObserver observer;
  std::mt19937_64 random(setting.seed);
  const auto parser = make_chunk_parser({setting.form, setting.options, setting.limits, budget, observer,
                                         [&](ParsedChunk&& chunk) { parsed.chunks.push_back(std::move(chunk)); },
                                         setting.slots, setting.token_kernel, setting.hashes_texts});
  std::size_t in_task = 0;
  for (const OracleDocument& document : documents) {
    feed(*parser, document, setting.longest_fragment, random);
    if (++in_task == setting.documents_in_task) {
      parser->finish_task();
      in_task = 0;
    }
  }
  parser->finish_task();
  parsed.stats = parser->stats();
  EXPECT_EQ(parsed.stats.chunks, parsed.chunks.size());
  return parsed;
}

// Replaces chunks of tokens by chunks with tables.
inline void tabulate(std::vector<ParsedChunk>& chunks, const ParseSetting& setting, MemoryBudget& budget) {
  if (setting.form != ChunkForm::kTokens) return;
  const Positions positions = setting.options.positions ? Positions::kStored : Positions::kNone;
  for (ParsedChunk& chunk : chunks) chunk = build_term_table(std::move(chunk), positions, budget);
}

using Lists = std::map<std::string, InvertedOracle::List>;

// The lists of one chunk, in its own numbering.
inline Lists lists_of(const ParsedChunk& chunk) {
  Lists lists;
  if (chunk.form() == ChunkForm::kPostings) {
    std::vector<std::uint32_t> documents, frequencies;
    const ChunkPostings& content = chunk.postings();
    for (std::size_t term = 0; term < content.terms.size(); ++term) {
      const ChunkList& from = content.lists[term];
      RunEntry fragment;
      fragment.term = content.term_text(term);
      fragment.document_count = from.document_count;
      fragment.occurrence_count = from.occurrence_count;
      fragment.last_document = from.last_document;
      fragment.postings = content.postings.subspan(from.posting_offset, from.posting_bytes);
      decode_postings(fragment, "chunk", documents, frequencies);
      const auto [list, is_new] = lists.try_emplace(std::string(fragment.term));
      EXPECT_TRUE(is_new) << "a term twice in one chunk: " << fragment.term;
      for (std::size_t i = 0; i < documents.size(); ++i) list->second[documents[i]] = frequencies[i];
    }
    return lists;
  }
  const ChunkTable& table = chunk.table();
  EXPECT_EQ(table.lengths.size(), chunk.document_count);
  std::size_t at = 0;
  for (std::uint32_t document = 0; document < table.lengths.size(); ++document) {
    for (std::uint32_t i = 0; i < table.lengths[document]; ++i) {
      ++lists[std::string(table.term_text(table.occurrences[at++]))][document];
    }
  }
  EXPECT_EQ(at, table.occurrences.size());
  return lists;
}

struct StoredEntry {
  std::uint8_t fields = 0;
  std::uint32_t length = 0;
  std::string id, title, url, date;
  bool operator==(const StoredEntry&) const = default;
};

// Reads the strings of an entry of the document stream, after its length.
inline void read_strings(const std::uint8_t** at, const std::uint8_t* end, StoredEntry& entry) {
  const std::pair<std::uint8_t, std::string*> strings[] = {{RunDocument::kId, &entry.id},
                                                           {RunDocument::kTitle, &entry.title},
                                                           {RunDocument::kUrl, &entry.url},
                                                           {RunDocument::kDate, &entry.date}};
  for (const auto& [bit, string] : strings) {
    if ((entry.fields & bit) == 0) continue;
    std::uint64_t bytes = 0;
    ASSERT_TRUE(read_varint(at, end, &bytes));
    ASSERT_LE(bytes, static_cast<std::uint64_t>(end - *at));
    string->assign(reinterpret_cast<const char*>(*at), bytes);
    *at += bytes;
  }
}

inline std::vector<StoredEntry> entries_of(std::span<const std::uint8_t> stream) {
  std::vector<StoredEntry> entries;
  const std::uint8_t* at = stream.data();
  const std::uint8_t* const end = at + stream.size();
  while (at != end) {
    StoredEntry entry;
    entry.fields = *at++;
    std::uint64_t length = 0;
    EXPECT_TRUE(read_varint(&at, end, &length));
    entry.length = static_cast<std::uint32_t>(length);
    read_strings(&at, end, entry);
    entries.push_back(entry);
    if (::testing::Test::HasFatalFailure()) break;
  }
  return entries;
}

// The joined content of the chunks of one part: lists in the part's document numbers, documents, checksum.
struct JoinedChunks {
  Lists lists;
  std::vector<StoredEntry> documents;
  ContentChecksum sum;
  std::uint64_t occurrence_count = 0;
  bool has_stored_ids = false;
};

inline JoinedChunks join_chunks(const std::vector<ParsedChunk>& chunks) {
  JoinedChunks joined;
  bool open = false;
  std::uint64_t base = 0;
  for (const ParsedChunk& chunk : chunks) {
    EXPECT_GE(chunk.document_count, 1U);
    EXPECT_EQ(chunk.first_document_open, open) << "an open document must go on in the next chunk";
    if (chunk.first_document_open) --base;
    const Lists lists = lists_of(chunk);
    EXPECT_EQ(chunk.sum.lanes, sum_of_lists(lists).lanes) << "the chunk's sum";
    std::uint64_t occurrences = 0;
    for (const auto& [term, list] : lists) {
      for (const auto& [document, frequency] : list) {
        EXPECT_LT(document, chunk.document_count);
        joined.lists[term][static_cast<std::uint32_t>(base + document)] += frequency;
        occurrences += frequency;
      }
    }
    EXPECT_EQ(chunk.occurrence_count, occurrences);
    joined.occurrence_count += occurrences;
    joined.sum.join(chunk.sum, base);
    joined.has_stored_ids |= chunk.has_stored_ids;

    std::vector<StoredEntry> entries = entries_of(chunk.documents);
    EXPECT_EQ(entries.size() + (chunk.last_document_open ? 1 : 0), chunk.document_count);
    if (open && !entries.empty()) {
      EXPECT_EQ(entries[0].fields, 0) << "the strings stand where the document began";
      EXPECT_EQ(entries[0].length, chunk.continued_length);
      joined.documents.back().length += entries[0].length;
      entries.erase(entries.begin());
    }
    const bool only_a_stretch = open && chunk.last_document_open && chunk.document_count == 1;
    joined.documents.insert(joined.documents.end(), entries.begin(), entries.end());
    if (only_a_stretch) {
      EXPECT_EQ(chunk.open_fields, 0);
      joined.documents.back().length += chunk.open_length;
    } else if (chunk.last_document_open) {
      StoredEntry& entry = joined.documents.emplace_back();
      entry.fields = chunk.open_fields;
      entry.length = chunk.open_length;
      const std::uint8_t* at = chunk.open_strings.data();
      read_strings(&at, at + chunk.open_strings.size(), entry);
      EXPECT_EQ(at, chunk.open_strings.data() + chunk.open_strings.size());
    }
    base += chunk.document_count;
    open = chunk.last_document_open;
  }
  EXPECT_FALSE(open);
  EXPECT_EQ(joined.documents.size(), base);
  return joined;
}

// Returns the entry that should be stored of a document.
inline StoredEntry stored_entry(const OracleDocument& document, std::uint32_t length, StorePolicy store) {
  StoredEntry entry;
  entry.length = length;
  const auto keep = [&](const std::string& value, std::uint8_t bit, std::string& kept) {
    if (value.empty()) return;
    entry.fields |= bit;
    kept = value;
  };
  keep(document.id, RunDocument::kId, entry.id);
  if (store == StorePolicy::kNone) return entry;
  keep(document.title, RunDocument::kTitle, entry.title);
  keep(document.url, RunDocument::kUrl, entry.url);
  keep(document.date, RunDocument::kDate, entry.date);
  return entry;
}

}  // namespace spillway::testing
