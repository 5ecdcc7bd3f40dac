// Writes the documents of an index as records that any indexer reads: JSON lines, or columns separated by tabs.
#pragma once

#include "io/index/reader.hpp"
#include "tools/exchange/sink.hpp"

namespace spillway {

// {"id":..., "title":..., "url":..., "date":..., "text":...}, with the fields that a document has. `spillway index` of
// these records makes the same lists. Throws UsageError unless the index stores texts, or for an id that is not UTF-8;
// FormatError for a damaged index.
void write_jsonl(const IndexReader& index, const WriteBytes& write, const ExportContext& context);

// id, title, text. Tabs, line breaks and NUL in titles and texts become blanks; in an id they are refused. Throws as
// write_jsonl.
void write_tsv(const IndexReader& index, const WriteBytes& write, const ExportContext& context);

}  // namespace spillway
