// Reads runs (io/format/run.hpp). Every byte is checked before it is believed; anything wrong is a FormatError that
// names path and offset.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/format/cursors.hpp"
#include "io/format/run.hpp"
#include "io/memory/buffer_pool.hpp"

namespace spillway {

class RunBlockReader;

// Header, footer and samples of a run. Immutable after construction, but for the windows that its term cursors leave;
// cursors on many threads share it. Its own memory is bounded (kMaxTermSamples samples, and a window for as many term
// cursors as there were at once).
class RunReader {
 public:
  // Checks header, trailer and footer. `file` lives longer.
  explicit RunReader(const ReadableFile& file);

  const ReadableFile& file() const { return file_; }
  const RunIdentity& identity() const { return identity_; }
  const RunSummary& summary() const { return summary_; }
  std::size_t block_bytes() const { return block_bytes_; }  // the most raw bytes that a block of this run has
  std::size_t longest_term_bytes() const { return longest_term_bytes_; }
  const std::vector<TermSample>& term_samples() const { return samples_; }
  std::uint64_t blocks_end() const { return blocks_end_; }  // offset behind the last block
  std::uint64_t block_count() const { return block_count_; }
  std::uint64_t document_bytes() const { return document_bytes_; }  // of the document stream
  std::uint32_t header_crc() const { return header_crc_; }          // what block CRCs are bound to
  std::size_t memory_bytes() const;                                 // what this object holds, about, without windows
  BufferPool& spare_windows() const { return spare_windows_; }

 private:
  void read_header();
  std::vector<std::uint8_t> read_footer();
  void parse_footer(std::span<const std::uint8_t> footer);
  void parse_samples(std::span<const std::uint8_t> bytes, std::uint32_t count);
  void check_counts() const;
  const ReadableFile& file_;
  RunIdentity identity_;
  RunSummary summary_;
  std::size_t block_bytes_ = 0, longest_term_bytes_ = 0;
  std::vector<TermSample> samples_;
  std::uint64_t blocks_end_ = 0;
  std::uint64_t block_count_ = 0, term_block_count_ = 0, document_bytes_ = 0;
  std::uint32_t header_crc_ = 0;
  mutable BufferPool spare_windows_;
};

// Walks the entries with first <= term < last (empty last: to the end) in order. Holds one block (about 2 * block_bytes
// while decompressing). The order of terms, and of documents between the pieces of one term, and the entry frame are
// checked here; that postings are exactly document_count ascending documents that end at last_document and sum to the
// occurrence count is checked by whoever decodes them (decode_postings does). A walk over all terms also checks the
// run's totals.
class RunTermCursor final : public TermCursor {
 public:
  static std::size_t memory_bytes(const RunReader& run) {
    return 2 * run.block_bytes() + 2 * run.longest_term_bytes() + 1024;
  }

  RunTermCursor(const RunReader& run, std::string first, std::string last);
  ~RunTermCursor() override;
  RunTermCursor(const RunTermCursor&) = delete;
  RunTermCursor& operator=(const RunTermCursor&) = delete;
  bool next() override;
  const TermPiece& piece() const override { return piece_; }
  bool ends_term() const override;

 private:
  bool load_block();
  void read_entry();
  void read_term();
  void check_piece(const std::uint8_t* postings);
  void check_totals() const;
  bool move_term(std::size_t shared, std::string_view suffix);
  std::uint64_t read_number();
  std::uint64_t read_mixed_number();
  std::uint64_t read_long_number();
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  const RunReader& run_;
  std::string first_, last_;
  bool all_, done_ = false;
  std::unique_ptr<RunBlockReader> blocks_;
  std::string_view expected_start_;  // of the first block's first term, as its sample says
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;
  std::uint32_t entries_left_ = 0;
  bool block_starts_ = false, same_term_ = false;
  std::vector<char> term_;  // room for the longest so far, and a few bytes
  TermPiece piece_;         // its term: in term_
  std::uint64_t entry_count_ = 0, posting_count_ = 0, occurrence_count_ = 0;
};

// Walks the document stream. Holds one block and one document (which, with stored text, may be larger than a block).
class RunDocumentCursor final : public DocumentCursor {
 public:
  // No document of the stream may take more bytes than this: far above what --max-document-bytes lets through by
  // default, and a bound on what a forged run can ask for.
  static constexpr std::uint64_t kMaxDocumentBytes = std::uint64_t{1} << 30;

  explicit RunDocumentCursor(const RunReader& run, std::uint64_t max_document_bytes = kMaxDocumentBytes);
  ~RunDocumentCursor() override;
  RunDocumentCursor(const RunDocumentCursor&) = delete;
  RunDocumentCursor& operator=(const RunDocumentCursor&) = delete;
  bool next() override;
  const RunDocument& document() const override { return document_; }

 private:
  bool parse();
  bool read_number(const std::uint8_t** at, std::uint64_t* value) const;
  void load_block();
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  const RunReader& run_;
  std::uint64_t max_document_bytes_;
  std::unique_ptr<RunBlockReader> blocks_;
  std::uint64_t read_count_ = 0, loaded_bytes_ = 0;
  std::vector<std::uint8_t> stream_;
  std::size_t at_ = 0;
  RunDocument document_;
};

// Walks the text stream of a run with texts. Holds one block.
class RunTextCursor final : public TextCursor {
 public:
  static std::size_t memory_bytes(const RunReader& run) { return 2 * run.block_bytes() + 1024; }

  explicit RunTextCursor(const RunReader& run);
  ~RunTextCursor() override;
  RunTextCursor(const RunTextCursor&) = delete;
  RunTextCursor& operator=(const RunTextCursor&) = delete;
  // A piece that goes over the end of a block is handed out as several.
  bool next() override;
  const TextPiece& piece() const override { return piece_; }

 private:
  bool read_head();
  bool load_block();
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  const RunReader& run_;
  std::unique_ptr<RunBlockReader> blocks_;
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;  // of the block
  std::uint64_t left_ = 0;                             // of the piece
  bool ends_document_ = false;
  TextPiece piece_;
};

// Decodes the postings of `piece` into documents and frequencies (resized to document_count). Throws FormatError naming
// `where` unless they decode to exactly document_count ascending documents that end at last_document, use every byte,
// and sum to occurrence_count.
void decode_postings(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& documents,
                     std::vector<std::uint32_t>& frequencies);
// The same without vectors: for other CPUs, and tests.
void decode_postings_portable(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& documents,
                              std::vector<std::uint32_t>& frequencies);

// Decodes the positions of `piece` into distances (resized to its occurrence count): for each posting, of its first
// position from 0 and of each other from the one before. Throws FormatError naming `where` unless there are exactly as
// many as occurrences, below 2^32, and they use every byte.
void decode_positions(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& distances);

// Appends one document to a document stream.
void append_run_document(const RunDocument& document, std::vector<std::uint8_t>& stream);

}  // namespace spillway
