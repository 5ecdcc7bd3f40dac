// Reads an index directory. Files are mapped; every page is checked against its CRC before the first byte of it is
// believed; anything wrong is a FormatError that names file and offset. Open reads a few pages, whatever the size of
// the index.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/checksum/content_checksum.hpp"
#include "io/file/file_system.hpp"
#include "io/format/content_options.hpp"
#include "io/format/cursors.hpp"
#include "io/postings/list_encoder.hpp"

namespace spillway {

struct IndexCounts {
  std::uint64_t documents = 0;         // indexed, empty ones included
  std::uint64_t source_documents = 0;  // with the dropped ones
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
  std::uint64_t posting_offset = 0, posting_bytes = 0;
  std::uint64_t bound_offset = 0;                         // of its first bound entry
  std::uint32_t single_document = 0;                      // the document of a list of one, which has no posting bytes
  std::uint64_t position_offset = 0, position_bytes = 0;  // 0 in an index without positions
};

// What a block of 128 postings (or the tail behind them) holds at most, for pruned search and skipping.
struct BlockBound {
  std::uint32_t last_document = 0;
  std::uint32_t max_frequency = 0;  // a bound: rounded up
  std::uint32_t min_length = 0;     // a bound: rounded down
  std::uint64_t offset = 0;         // of the block, from the list's first byte
};

class IndexReader;

// Walks one list, a block at a time. The index lives longer.
class PostingsCursor {
 public:
  PostingsCursor(const IndexReader& index, const TermEntry& entry);
  // Decodes the next block; false at the end. Documents ascend over the whole list and are below the index's count;
  // anything else, or a list that does not add up to df and cf, is a FormatError.
  bool next_block();
  // Number of the block that was decoded last, from 0.
  std::uint64_t block() const { return (done_ - count_) / kPostingsBlock; }
  std::span<const std::uint32_t> documents() const { return {documents_, count_}; }
  std::span<const std::uint32_t> frequencies() const { return {frequencies_, count_}; }

 private:
  struct Widths {
    unsigned document_bits, frequency_bits;
  };
  void decode_single();
  void decode_full(Widths widths);
  void decode_tail();
  Widths widths_before_block();
  void finish_block(std::uint64_t last_document);
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

  const IndexReader& index_;
  std::uint64_t document_count_, occurrence_count_;
  std::uint64_t posting_offset_, posting_bytes_, bound_offset_;
  std::uint32_t single_document_;
  std::uint64_t done_ = 0, offset_ = 0, occurrences_ = 0;
  std::size_t count_ = 0;
  std::uint64_t next_document_ = 0;  // the least that may come
  alignas(16) std::uint32_t documents_[kPostingsBlock], frequencies_[kPostingsBlock];
};

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

struct StoredDocument {
  std::string id;  // the stored one, else number + 1
  std::string title, url, date;
  std::uint8_t fields = 0;  // presence bits as in RunDocument
  std::uint32_t length = 0;
};

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

  // Re-reads and checks everything: hashes of all files, page CRCs, order of terms, documents and ids, counts, every
  // list against its bounds, lengths against postings, and the sum of the source. Throws FormatError at the first thing
  // wrong. `progress` gets bytes checked so far.
  void verify(const std::function<void(std::uint64_t)>& progress) const;

 private:
  friend class PostingsCursor;
  friend class PositionCursor;
  friend class ListBlocks;
  friend class TermTableCursor;
  friend class IndexTermCursor;
  friend class IndexDocumentCursor;
  friend class IndexTextCursor;
  friend class IndexVerifier;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
