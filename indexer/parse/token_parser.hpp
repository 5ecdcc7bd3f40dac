// The chunk parser that leaves the tokens themselves (ChunkForm::kTokens). ASCII words that are their own terms are
// copied as they stand, a window of text at a time; only other words are looked at one by one.
#pragma once

#include <memory>

#include "indexer/parse/chunk_parser.hpp"

namespace spillway {

// Requires: form kTokens. As make_chunk_parser().
std::unique_ptr<ChunkParser> make_token_parser(const ChunkParserSetup& setup);

}  // namespace spillway
