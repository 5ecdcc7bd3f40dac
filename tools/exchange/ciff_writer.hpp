// Writes an index as a file of the Common Index File Format (tools/exchange/ciff_format.hpp).
#pragma once

#include "io/index/reader.hpp"
#include "tools/exchange/ciff_format.hpp"
#include "tools/exchange/order.hpp"
#include "tools/exchange/sink.hpp"

namespace spillway {

// Writes the whole index, list by list, in O(postings) and with memory for one block of a list; each list is read
// twice, because its length comes first. `order` numbers the documents. `most_message_bytes`: what a list may take.
//
// Throws UsageError before anything is written if the format cannot hold a list (names the term, and what to do), and
// later for an id that is not UTF-8 or a number beyond an int32; FormatError for a damaged index.
void write_ciff(const IndexReader& index, DocumentOrder& order, const WriteBytes& write, const ExportContext& context,
                std::uint64_t most_message_bytes = ciff::kMaxMessageBytes);

}  // namespace spillway
