// What the chunk parsers of all forms share: documents begin and end, their strings and texts are kept, and what a
// chunk says of its documents is handed out with its terms. Terms and occurrences are the derived parser's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "indexer/parse/chunk_parser.hpp"
#include "indexer/parse/document_strings.hpp"

namespace spillway {

// Of the document, in the chunk. Apart in memory: loads of two at once, which the compiler would make of neighbours,
// stall behind stores of one (half of the time of a loop over occurrences).
struct DocumentCounts {
  alignas(16) std::uint32_t length = 0;    // tokens kept
  alignas(16) std::uint32_t position = 0;  // of the next token, with positions; counts on over chunks
};

// What a chunk says of its documents.
struct DocumentParts {
  std::span<const std::uint8_t> documents, open_strings, texts;
  std::span<const std::uint32_t> lengths;
};

class DocumentParser : public ChunkParser {
 public:
  void begin(const DocumentFields& fields, const SourcePlace& place) final;
  void text(std::string_view piece) final;
  void end() final;
  void finish_task() final;
  const ParseStats& stats() const final { return stats_; }
  void skip(SkipReason reason, const SourcePlace& place, std::string_view detail) final {
    observer_.skip(reason, place, detail);
  }
  void consumed(std::uint64_t input_bytes) final { observer_.consumed(input_bytes); }

 protected:
  // `counts` are the derived parser's, which adds to them.
  DocumentParser(const ChunkParserSetup& setup, DocumentCounts& counts);

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
