// The chunk parser that looks every token up in the chunk's term table, and folds occurrences into postings
// (ChunkForm::kPostings) or keeps them plain (kOccurrences).
#pragma once

#include <memory>

#include "indexer/parse/chunk_parser.hpp"

namespace spillway {

// Requires: a form with a table. As make_chunk_parser().
std::unique_ptr<ChunkParser> make_table_parser(const ChunkParserSetup& setup);

}  // namespace spillway
