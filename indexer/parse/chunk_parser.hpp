// Documents to chunks: the sink that readers call on every parsing thread. It keeps the documents' strings and texts,
// and hands out a ParsedChunk when a table or a buffer is full or the task ends; its derived classes make the terms
// (indexer/parse/make_chunk_parser.hpp). A document may be cut between chunks at any token.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/document/sink.hpp"
#include "indexer/chunk/limits.hpp"
#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/parse/document_strings.hpp"
#include "io/format/content_options.hpp"

namespace spillway {

// Counts of a parser besides its chunks.
struct ParseStats {
  std::uint64_t documents = 0, repaired = 0, overlong_tokens = 0, fields_cut = 0, chunks = 0;
  std::uint64_t slab_chunks = 0;  // chunks in slabs
};

// Hears what readers report besides documents. May throw to stop.
class ParseObserver {
 public:
  virtual ~ParseObserver() = default;
  virtual void skip(SkipReason reason, const SourcePlace& place, std::string_view detail) = 0;
  virtual void consumed(std::uint64_t input_bytes) = 0;
};

// Options, budget and observer live longer than the parser.
struct ChunkParserSetup {
  ChunkForm form = ChunkForm::kPostings;
  const ContentOptions& options;
  const ChunkLimits& limits;
  MemoryBudget& budget;  // pays for the parser and for the chunks that it delivers
  ParseObserver& observer;
  std::function<void(ParsedChunk&&)> deliver;
  PinnedSlotPool* slabs = nullptr;  // kTokens: for their tokens, while there are pieces
};

// Of the document, in the chunk. Apart in memory: loads of two at once, which the compiler would make of neighbours,
// stall behind stores of one (half of the time of a loop over occurrences).
struct DocumentCounts {
  alignas(16) std::uint32_t length = 0;    // tokens kept
  alignas(16) std::uint32_t position = 0;  // of the next token, with positions; counts on over chunks
};

class ChunkParser : public DocumentSink {
 public:
  using Deliver = std::function<void(ParsedChunk&&)>;

  void begin(const DocumentFields& fields, const SourcePlace& place) final;
  void text(std::string_view piece) final;
  void end() final;
  // The task ends: hands out the rest. Requires: no document is open.
  void finish_task();
  const ParseStats& stats() const { return stats_; }
  void skip(SkipReason reason, const SourcePlace& place, std::string_view detail) final {
    observer_.skip(reason, place, detail);
  }
  void consumed(std::uint64_t input_bytes) final { observer_.consumed(input_bytes); }

 protected:
  // `counts` are the derived parser's, which adds to them.
  ChunkParser(const ChunkParserSetup& setup, DocumentCounts& counts);

  // More of a field or text of the document; it may go on in the next piece, until finish_scan().
  virtual void scan(std::string_view piece) = 0;
  virtual void finish_scan() = 0;
  // The chunk is about to be handed out in the middle of a document, between two pieces or tokens.
  virtual void cut_document() {}
  // The document's part in this chunk ends: its sums.
  virtual void close_occurrences() = 0;
  // The chunk's memory, with copies of the parts, and its terms and occurrences.
  virtual ParsedChunk seal_occurrences(const DocumentParts& parts) = 0;
  // A chunk begins.
  virtual void clear_occurrences() = 0;

  // Hands out the chunk. An open document goes on as the first of the next.
  void seal();
  void add_to_sum(const TermHash& hashes) { sum_.add(hashes, document_power(document_number_)); }
  // The document's sum of h_1(term) * position_value(position).
  void add_to_position_sum(std::uint64_t positions);
  void count_overlong() { ++stats_.overlong_tokens; }
  std::uint32_t document_number() const { return document_number_; }

  const ContentOptions& options_;
  const ChunkLimits limits_;
  MemoryBudget& budget_;

 private:
  void keep_text(std::string_view piece);
  void close_document();
  void start_chunk();

  const ChunkForm form_;
  Deliver deliver_;
  ParseObserver& observer_;
  ParseStats stats_;
  DocumentCounts& counts_;

  // The chunk.
  std::vector<std::uint8_t> documents_, open_strings_, texts_;
  const bool stores_text_ = options_.store == StorePolicy::kText;
  std::vector<std::uint32_t> lengths_;
  std::uint32_t continued_length_ = 0;
  ContentChecksum sum_;
  std::uint64_t occurrence_count_ = 0;
  std::uint32_t document_number_ = 0;
  bool first_document_open_ = false;
  bool has_stored_ids_ = false;

  // The document.
  bool open_ = false;
  DocumentStrings strings_;
};

}  // namespace spillway
