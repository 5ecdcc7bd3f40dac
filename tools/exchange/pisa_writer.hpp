// Writes an index as the files that PISA reads: what its `parse_collection` and `invert` would have written. All
// numbers are little-endian; docs/exchange.md describes the files.
#pragma once

#include "io/index/reader.hpp"
#include "tools/exchange/export_directory.hpp"
#include "tools/exchange/order.hpp"
#include "tools/exchange/sink.hpp"

namespace spillway {

// Writes the files; the caller publishes. `order` numbers the documents. O(postings), with memory for a few blocks.
// Throws UsageError for a term, id or URL with a line break or an id that is not UTF-8, which the formats cannot hold;
// FormatError for a damaged index.
void write_pisa(const IndexReader& index, DocumentOrder& order, ExportDirectory& out, const ExportContext& context);

}  // namespace spillway
