#include "indexer/chunk_parser.hpp"

#include "indexer/table_parser.hpp"
#include "indexer/token_parser.hpp"

namespace spillway {

std::unique_ptr<ChunkParser> make_chunk_parser(const ChunkParserSetup& setup) {
  return setup.form == ChunkForm::kTokens ? make_token_parser(setup) : make_table_parser(setup);
}

}  // namespace spillway
