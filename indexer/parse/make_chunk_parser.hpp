// The chunk parser of each form, and its memory.
#pragma once

#include <cstddef>
#include <memory>

#include "indexer/parse/chunk_parser.hpp"

namespace spillway {

std::unique_ptr<ChunkParser> make_chunk_parser(const ChunkParserSetup& setup);

// Bytes that a parser takes at most from its budget, without the chunks that it has delivered.
std::size_t chunk_parser_bytes(const ContentOptions& options, const ChunkLimits& limits, ChunkForm form);

}  // namespace spillway
