// The chunk parser that looks every token up in the chunk's term table, and folds occurrences into postings
// (ChunkForm::kPostings) or keeps them as they come (kTables).
#pragma once

#include <memory>

#include "indexer/parse/chunk_parser.hpp"

namespace spillway {

// As make_chunk_parser(). Requires: form kPostings or kTables.
std::unique_ptr<ChunkParser> make_table_parser(const ChunkParserSetup& setup);

}  // namespace spillway
