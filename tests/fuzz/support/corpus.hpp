// Reads bytes as a corpus of one file, in memory, through the reader and the parsers that indexing uses.
#pragma once

#include <cstdint>
#include <string_view>

#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway::fuzz {

// Reads `bytes` whole, in tasks of 1 byte with a buffer of 64, and in others, and checks that all give the same
// documents and skips. Throws BudgetError for a zstd window that does not fit.
testing::ReadResult read_in_all_ways(std::string_view bytes, CorpusFormat format,
                                     std::uint64_t max_document_bytes = std::uint64_t{64} << 20);

// A limit of documents' bytes, small for most values of `options`.
std::uint64_t document_limit(std::uint8_t options);

// `bytes` without a byte order mark at its start.
std::string_view without_mark(std::string_view bytes);

// The lines of `bytes`. A line end at the end of the bytes begins no line. A CR before a line feed belongs to it.
std::vector<std::string_view> lines_of(std::string_view bytes);

}  // namespace spillway::fuzz
