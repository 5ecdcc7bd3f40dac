// The values that readers of an index return.
#pragma once

#include <cstdint>
#include <string>

#include "io/checksum/content_checksum.hpp"

namespace spillway {

struct IndexCounts {
  std::uint64_t documents = 0;         // indexed documents, empty ones included
  std::uint64_t source_documents = 0;  // documents of the input, dropped ones included
  std::uint64_t stored_ids = 0;
  std::uint64_t terms = 0;
  std::uint64_t postings = 0;
  std::uint64_t occurrences = 0;  // sum of cf = sum of lengths
  ContentChecksum source_sum, dropped_sum;
};

struct TermEntry {
  std::string term;
  std::uint64_t number = 0;  // in term order
  std::uint64_t document_count = 0, occurrence_count = 0;
  unsigned part = 0;  // of the list; offsets in postings and positions count in this part
  std::uint64_t posting_offset = 0, posting_bytes = 0;
  std::uint64_t bound_offset = 0;     // of the list's first bound entry
  std::uint32_t single_document = 0;  // the document of a list of one posting, which has no posting bytes
  std::uint64_t position_offset = 0, position_bytes = 0;  // 0 in an index without positions
};

// Bounds of a block of 128 postings (or of the tail after them), for pruned search and skipping.
struct BlockBound {
  std::uint32_t last_document = 0;
  std::uint32_t max_frequency = 0;  // upper bound
  std::uint32_t min_length = 0;     // lower bound
  std::uint64_t offset = 0;         // of the block, from the list's first byte
};

struct StoredDocument {
  std::string id;  // the stored id, or number + 1 if none is stored
  std::string title, url, date;
  std::uint8_t fields = 0;  // presence bits of RunDocument
  std::uint32_t length = 0;
};

}  // namespace spillway
