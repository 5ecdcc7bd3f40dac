// Documents to chunks: the sink that readers call on every parsing thread. Tokenizes, folds occurrences into postings
// (or keeps them plain, for block-wide sorters, or keeps the tokens), and hands out a ParsedChunk when a table or a
// buffer is full or the task ends. A document may be cut between chunks at any token.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "corpora/document/sink.hpp"
#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/chunk/term_table.hpp"
#include "io/format/content_options.hpp"
#include "io/format/cursors.hpp"
#include "text/analysis/term_filter.hpp"
#include "text/scan/word_scanner.hpp"
#include "text/unicode/words.hpp"

namespace spillway {

// Sizes of one parser's buffers, from the plan.
struct ChunkLimits {
  std::uint32_t table_entries = 1U << 15;
  std::size_t stream_words = std::size_t{1} << 20;    // u32 of postings (2-3 each) or occurrences (1 each)
  std::size_t document_bytes = std::size_t{1} << 20;  // of the document stream
  std::uint32_t max_documents = 1U << 20;
  std::size_t text_bytes = std::size_t{2} << 20;   // of the text stream, where texts are stored
  std::size_t token_bytes = std::size_t{2} << 20;  // kTokens: of the tokens with their separators
};

// What a parser counts besides its chunks.
struct ParseStats {
  std::uint64_t documents = 0, repaired = 0, overlong_tokens = 0, fields_cut = 0, chunks = 0;
  std::uint64_t slab_chunks = 0;  // of them, those in slabs
};

// Hears what readers say besides documents. May throw to stop.
class ParseObserver {
 public:
  virtual ~ParseObserver() = default;
  virtual void skip(SkipReason reason, const SourcePlace& place, std::string_view detail) = 0;
  virtual void consumed(std::uint64_t input_bytes) = 0;
};

class ChunkParser : public DocumentSink {
 public:
  using Deliver = std::function<void(ParsedChunk&&)>;

  ~ChunkParser() override = default;
  // The task ends: hands out what is left. Requires: no document is open.
  virtual void finish_task() = 0;
  virtual const ParseStats& stats() const = 0;

  // Longest stored id and field; a longer field is cut at a character and counted.
  static constexpr std::size_t kMaxFieldBytes = 65535;

  static std::size_t memory_bytes(const ContentOptions& options, const ChunkLimits& limits, ChunkForm form);
  // The most bytes a chunk of these limits takes once parsed.
  static std::size_t max_chunk_bytes(const ContentOptions& options, const ChunkLimits& limits, ChunkForm form);
};

struct ChunkParserSetup {
  ChunkForm form = ChunkForm::kPostings;
  const ContentOptions& options;
  const ChunkLimits& limits;
  MemoryBudget& budget;  // pays for the parser and for the chunks that it delivers
  ParseObserver& observer;
  ChunkParser::Deliver deliver;
  PinnedSlotPool* slabs = nullptr;  // kTokens: for their tokens, while there are pieces
};
// Options, budget and observer live longer than the parser.
std::unique_ptr<ChunkParser> make_chunk_parser(const ChunkParserSetup& setup);

}  // namespace spillway
