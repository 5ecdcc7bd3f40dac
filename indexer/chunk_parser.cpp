#include "indexer/chunk_parser.hpp"

#include <stdexcept>

#include "indexer/table_parser.hpp"

namespace spillway {

std::unique_ptr<ChunkParser> make_chunk_parser(const ChunkParserSetup& setup) {
  if (setup.form == ChunkForm::kTokens) throw std::logic_error("no parser leaves tokens yet");
  return make_table_parser(setup);
}

}  // namespace spillway
