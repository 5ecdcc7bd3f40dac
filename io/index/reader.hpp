// Reads an index directory. Files are mapped; every page is checked against its CRC before the first byte of it is
// believed; anything wrong is a FormatError that names file and offset. Open reads a few pages, whatever the size of
// the index.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/format/content_options.hpp"
#include "io/format/index_types.hpp"

namespace spillway {

class IndexReader;

// Walks the term table in order, from the first term >= `first`.
class TermTableCursor {
 public:
  TermTableCursor(const IndexReader& index, std::string_view first);
  ~TermTableCursor();
  bool next();
  const TermEntry& entry() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct IndexState;

// Immutable after construction; thread-safe.
class IndexReader {
 public:
  // window_bytes 0: pages stay in memory once they are read, as the system sees fit. Else each of the sections keeps at
  // most about so many bytes (pages of 64 KiB, a page table, and what the system reads around them): for merges, which
  // read many indexes within a budget. Views of sections stay valid in both cases.
  IndexReader(FileSystem& files, const std::string& directory, std::size_t window_bytes = 0);
  ~IndexReader();
  IndexReader(const IndexReader&) = delete;
  IndexReader& operator=(const IndexReader&) = delete;

  const std::string& directory() const;
  const ContentOptions& options() const;
  const IndexCounts& counts() const;
  struct FileStats {
    std::string name;
    std::uint64_t bytes;
  };
  std::vector<FileStats> files() const;

  std::optional<TermEntry> find_term(std::string_view term) const;
  // Bounds of a list with more than 128 postings: one per block and one for the tail; else empty.
  std::vector<BlockBound> bounds(const TermEntry& entry) const;
  std::uint32_t document_length(std::uint32_t document) const;
  std::span<const std::uint32_t> document_lengths() const;  // all; the pages are checked by the first call
  // Of documents [first, first + count).
  std::span<const std::uint32_t> document_lengths(std::uint64_t first, std::uint64_t count) const;
  // The external id. Requires: document < counts().documents.
  std::string document_id(std::uint32_t document) const;
  StoredDocument document(std::uint32_t document) const;
  // Its stored text, or the first bytes of it (which may end inside a character); empty where there is none.
  std::string document_text(std::uint32_t document, std::uint64_t most_bytes = ~std::uint64_t{0}) const;
  // Every document with this external id, ascending (one, unless duplicates were kept); stored ids first, else computed
  // ones.
  std::vector<std::uint32_t> find_documents(std::string_view id) const;
  std::vector<std::uint32_t> dropped_documents() const;  // in source numbering

  // For the cursors of io/index.
  const IndexState& state() const { return *state_; }

 private:
  std::unique_ptr<IndexState> state_;
};

}  // namespace spillway
