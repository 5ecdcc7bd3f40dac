#include "indexer/parse/make_chunk_parser.hpp"

#include <algorithm>

#include "indexer/chunk/position_folder.hpp"
#include "indexer/chunk/term_table.hpp"
#include "indexer/parse/chunk_sizes.hpp"
#include "indexer/parse/table_parser.hpp"
#include "indexer/parse/token_buffer.hpp"
#include "indexer/parse/token_parser.hpp"

namespace spillway {

std::unique_ptr<ChunkParser> make_chunk_parser(const ChunkParserSetup& setup) {
  return setup.form == ChunkForm::kTokens ? make_token_parser(setup) : make_table_parser(setup);
}

std::size_t chunk_parser_bytes(const ContentOptions& options, const ChunkLimits& limits, ChunkForm form) {
  const std::size_t table =
      word_cache_bytes(limits) + TermTable::memory_bytes(limits.table_entries, arena_bytes(options, limits));
  const std::size_t strings = 2 * limits.document_bytes + max_text_bytes(options, limits);
  if (form == ChunkForm::kTokens) {
    // The sum includes the chunk that is being filled.
    return table + strings + TokenBuffer::memory_bytes(options, limits) + max_chunk_bytes(options, limits, form);
  }
  const std::size_t slack = std::max(slack_words(limits, ChunkForm::kPostings, options.positions),
                                     slack_words(limits, ChunkForm::kTables, options.positions));
  const std::size_t positions = options.positions ? PositionFolder::memory_bytes(limits, kRangeTokens) : 0;
  return table + (limits.stream_words + slack + touched_words(limits, options.positions)) * sizeof(std::uint32_t) +
         positions + strings;
}

}  // namespace spillway
