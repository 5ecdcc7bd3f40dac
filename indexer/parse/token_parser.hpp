// The chunk parser that keeps the tokens themselves (ChunkForm::kTokens). It lowers and packs ASCII words that are
// their own terms, a range of text at a time, and resolves only the other words one by one.
#pragma once

#include <memory>

#include "indexer/parse/chunk_parser.hpp"

namespace spillway {

// As make_chunk_parser(). Requires: form kTokens.
std::unique_ptr<ChunkParser> make_token_parser(const ChunkParserSetup& setup);

}  // namespace spillway
