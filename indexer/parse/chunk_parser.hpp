// Turns documents into chunks: the sink that readers call on every parsing thread. It keeps the documents' strings and
// texts, and hands out a ParsedChunk when a table or a buffer is full or the task ends; its derived classes make the
// terms (indexer/parse/make_chunk_parser.hpp). A document may be cut between chunks at any token.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/document/sink.hpp"
#include "indexer/chunk/limits.hpp"
#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/parse/document_strings.hpp"
#include "indexer/parse/document_sums.hpp"
#include "indexer/parse/text_hash.hpp"
#include "io/format/content_options.hpp"
#include "text/scan/token_kernels.hpp"

namespace spillway {

// Counts of a parser besides its chunks.
struct ParseStats {
  std::uint64_t documents = 0, repaired = 0, overlong_tokens = 0, fields_cut = 0, chunks = 0;
  std::uint64_t pinned_chunks = 0;  // chunks in pinned slots
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
  PinnedSlotPool* slots = nullptr;            // kTokens: memory of the tokens, while there are free slots
  const TokenKernel* token_kernel = nullptr;  // kTokens: of the tokenizer's words; null: the fastest
  bool hashes_texts = false;  // keeps the hash of each document's title and text (RunDocument::text_hash)
  bool packs_json = true;     // kTokens: takes packed words of JSON, if this CPU can pack them
};

// Counters of the open document in this chunk. Each stands in 16 bytes of its own: the compiler would load neighbours
// together, and such a load stalls after a store to one of them (half of the time of a loop over occurrences).
struct DocumentCounts {
  alignas(16) std::uint32_t length = 0;    // tokens kept
  alignas(16) std::uint32_t position = 0;  // of the next token, if positions are stored; counts on over chunks
};

class ChunkParser : public DocumentSink {
 public:
  using Deliver = std::function<void(ParsedChunk&&)>;

  void begin(const DocumentFields& fields, const SourcePlace& place) final;
  void text(std::string_view text) final;
  PackWordsFunction word_packer() const final;
  void words(std::string_view packed, std::size_t count) final;
  void end() final;
  // The task ends: hands out the rest. Requires: no document is open.
  void finish_task();
  const ParseStats& stats() const { return stats_; }
  void skip(SkipReason reason, const SourcePlace& place, std::string_view detail) final {
    observer_.skip(reason, place, detail);
  }
  void consumed(std::uint64_t input_bytes) final { observer_.consumed(input_bytes); }

 protected:
  // `counts` belongs to the derived parser, which adds to it.
  ChunkParser(const ChunkParserSetup& setup, DocumentCounts& counts);

  // Takes the next bytes of a field or of the document's text. A token may continue in the next call, up to
  // finish_scan().
  virtual void scan(std::string_view text) = 0;
  virtual void finish_scan() = 0;
  // Null if the parser does not take packed words, or not with these options.
  virtual PackWordsFunction packer() const { return nullptr; }
  virtual void add_words(std::string_view, std::size_t /*count*/) {}
  // Between two calls of scan() or between two tokens: the document goes on in the next chunk.
  virtual void cut_document() {}
  // The document ends in this chunk: returns the sums of its occurrences that the chunk's checksum covers.
  virtual DocumentSums close_occurrences() = 0;
  // Returns the chunk with its terms and with copies of the arguments' arrays, and begins the next chunk.
  virtual ParsedChunk seal_occurrences(const ChunkDocuments& documents, std::span<const std::uint32_t> lengths) = 0;

  // Hands out the chunk. An open document goes on as the first one of the next chunk.
  void seal();
  // Every token takes a position, kept or not.
  void pass_position() { ++counts_.position; }
  void drop_overlong() {
    ++stats_.overlong_tokens;
    pass_position();
  }
  std::uint32_t document_number() const { return chunk_.document_count; }

  const ContentOptions& options_;
  const ChunkLimits limits_;
  MemoryBudget& budget_;

 private:
  void keep_text(std::string_view text);
  void count_unreported(std::size_t bytes);
  void close_document();
  void start_chunk();

  const ChunkForm form_;
  const Deliver deliver_;
  ParseObserver& observer_;
  ParseStats stats_;
  std::size_t unreported_ = 0;  // bytes of texts since the last call of the observer from here
  DocumentCounts& counts_;

  ChunkDocuments chunk_;  // the chunk so far; its arrays:
  std::vector<std::uint8_t> documents_, open_strings_, texts_;
  const bool stores_text_ = options_.store == StorePolicy::kText;
  std::vector<std::uint32_t> lengths_;

  bool open_ = false;  // whether a document is open
  DocumentStrings strings_;
  const bool hashes_texts_;
  std::optional<TextHash> text_hash_;  // of the open document, if hashes_texts_
};

}  // namespace spillway
