// Presents an index to a merge as if it were a run: its lists, documents and texts through the interfaces of
// io/format/cursors.hpp, numbered as in its source, where dropped documents are holes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/cursors.hpp"
#include "io/format/index.hpp"
#include "io/index/position_cursor.hpp"
#include "io/index/postings_cursor.hpp"
#include "io/index/reader.hpp"
#include "io/index/source_numbering.hpp"

namespace spillway {

// Walks the lists with first <= term < last (empty last: to the end) in entries of at most kEntryBytes of postings and
// positions, encoded as in runs; a posting with more positions is cut. Not thread-safe, but several cursors may use one
// index, which outlives them.
class IndexTermCursor final : public TermCursor {
 public:
  static constexpr std::size_t kEntryBytes = std::size_t{64} << 10;
  // The resident_bytes of an index reader per term cursor open at a time.
  static constexpr std::size_t kResidentBytes = 2 * kPageBytes;
  // Includes the cursor's share of the index's pages (terms, postings, bounds, positions), with the readahead of the
  // system (one more page) and part of the page table.
  static std::size_t memory_bytes(bool has_positions) {
    return 4 * kEntryBytes + (has_positions ? 4 : 3) * (kResidentBytes + 2 * kPageBytes);
  }

  // Adds to `cuts`, if set, for each place where a posting is cut.
  IndexTermCursor(const IndexReader& index, std::string_view first, std::string_view last,
                  std::atomic<std::uint64_t>* cuts = nullptr);
  bool next() override;
  const RunEntry& entry() const override { return entry_; }

 private:
  bool next_list();
  bool next_posting();
  bool has_room() const;
  void append_block();
  bool append_posting();
  std::uint32_t append_positions(std::uint32_t rest);
  const IndexReader& index_;
  const SourceNumbering& numbering_;
  TermTableCursor terms_;
  std::string last_;
  std::optional<PostingsCursor> list_;
  std::optional<SourceNumbering::Ascending> numbers_;
  std::optional<PositionCursor> position_cursor_;
  std::size_t at_ = 0;       // the next posting of the list's block
  std::uint32_t taken_ = 0;  // occurrences of the posting in earlier entries
  std::atomic<std::uint64_t>* cuts_;
  std::vector<std::uint8_t> postings_;  // room for kEntryBytes
  std::size_t posting_bytes_ = 0;       // in use
  std::vector<std::uint8_t> positions_;
  RunEntry entry_;
};

// Walks the documents of the source. A dropped one has fields = RunDocument::kDropped and length 0. IndexTextCursor
// reads their texts. Destruction unloads the pages of an index with a limit. Not thread-safe. The index outlives the
// cursor.
class IndexDocumentCursor final : public DocumentCursor {
 public:
  // Includes an IndexTextCursor, and the pages of both in an index opened with limits for `term_cursors` term cursors.
  static std::size_t memory_bytes(unsigned term_cursors) {
    constexpr std::size_t kSections = 8, kInflatedBytes = std::size_t{512} << 10;
    return kSections * (term_cursors * IndexTermCursor::kResidentBytes + 2 * kPageBytes) + kInflatedBytes;
  }

  explicit IndexDocumentCursor(const IndexReader& index);
  ~IndexDocumentCursor() override;
  bool next() override;
  const RunDocument& document() const override { return document_; }

 private:
  struct Walk;
  void read_kept();
  const IndexReader& index_;
  const SourceNumbering& numbering_;
  std::uint64_t next_source_ = 0, next_kept_ = 0;
  std::unique_ptr<Walk> walk_;
  RunDocument document_;
};

// Walks the texts of the documents of the source; a dropped document has an empty text. Holds one block of text. Not
// thread-safe. The index outlives the cursor.
class IndexTextCursor final : public TextCursor {
 public:
  explicit IndexTextCursor(const IndexReader& index);
  ~IndexTextCursor() override;
  bool next() override;
  const TextFragment& fragment() const override { return fragment_; }

 private:
  struct Walk;
  void begin_document();
  const IndexReader& index_;
  const SourceNumbering& numbering_;
  std::uint64_t next_source_ = 0, next_kept_ = 0;
  bool in_document_ = false;
  std::uint64_t offset_ = 0, left_ = 0;  // of the document's text
  std::unique_ptr<Walk> walk_;
  TextFragment fragment_;
};

}  // namespace spillway
