// How large a chunk and its parser's buffers may grow; the memory plan sets the figures.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

struct ChunkLimits {
  std::uint32_t table_entries = 1U << 15;
  std::size_t stream_words = std::size_t{1} << 20;    // u32 of postings (2-3 each) or occurrences (1 each)
  std::size_t document_bytes = std::size_t{1} << 20;  // of the document stream
  std::uint32_t max_documents = 1U << 20;
  std::size_t text_bytes = std::size_t{2} << 20;   // of the text stream, where texts are stored
  std::size_t token_bytes = std::size_t{2} << 20;  // kTokens: tokens with their separators
};

}  // namespace spillway
