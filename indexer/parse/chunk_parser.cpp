#include "indexer/parse/chunk_parser.hpp"

#include "indexer/parse/table_parser.hpp"
#include "indexer/parse/token_parser.hpp"

namespace spillway {

std::unique_ptr<ChunkParser> make_chunk_parser(const ChunkParserSetup& setup) {
  return setup.form == ChunkForm::kTokens ? make_token_parser(setup) : make_table_parser(setup);
}

}  // namespace spillway
