// Reads an index directory. Files are mapped. Every page is checked against its CRC before its first use; any fault is
// a FormatError that names file and offset. Opening reads a few pages, whatever the size of the index. Files that are
// truncated while they are open give a FormatError too, failing disks an IoError.
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

// Immutable after construction; thread-safe. What a function or a cursor returned was in the files, unless it returned
// a view.
class IndexReader {
 public:
  // With resident_bytes = 0 the system decides which pages stay in memory. Otherwise each section keeps at most about
  // resident_bytes (pages of 64 KiB, a page table, and the system's readahead), so that a merge can read many indexes
  // within a budget. Views of sections stay valid in both cases. If another job replaces the index meanwhile, this is
  // the old one or the new one.
  IndexReader(FileSystem& files, const std::string& directory, std::size_t resident_bytes = 0);
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
  // Returns the bounds of a list of more than 128 postings, one per block and one for the tail; otherwise none.
  std::vector<BlockBound> bounds(const TermEntry& entry) const;
  std::uint32_t document_length(std::uint32_t document) const;
  // Throws FormatError or IoError if a view may hold zeros, because files were truncated or their disk failed since the
  // index was opened. To be called between the use of views and giving out a result. Takes nanoseconds.
  void check_whole() const;
  std::span<const std::uint32_t> document_lengths() const;  // of all documents; the first call checks the pages
  // Lengths of the documents [first, first + count).
  std::span<const std::uint32_t> document_lengths(std::uint64_t first, std::uint64_t count) const;
  // The external id. Requires: document < counts().documents.
  std::string document_id(std::uint32_t document) const;
  StoredDocument document(std::uint32_t document) const;
  // Returns the stored text or its first bytes, which may end inside a character; empty if there is none.
  std::string document_text(std::uint32_t document, std::uint64_t most_bytes = ~std::uint64_t{0}) const;
  // Returns every document with this external id, ascending: one, unless duplicates were kept. A stored id takes
  // precedence over a computed one.
  std::vector<std::uint32_t> find_documents(std::string_view id) const;
  std::vector<std::uint32_t> dropped_documents() const;  // numbered as in the source

  // Gives the cursors of io/index access to the open sections.
  const IndexState& state() const { return *state_; }

 private:
  std::unique_ptr<IndexState> state_;
};

}  // namespace spillway
