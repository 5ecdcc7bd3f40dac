// Reads runs (io/run_format.hpp). Every byte is checked before it is believed; anything wrong is a FormatError that
// names path and offset.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/cursors.hpp"
#include "io/file_system.hpp"
#include "io/run_format.hpp"

namespace spillway {

// Header, footer and samples of a run. Immutable after construction; cursors on many threads share it. Its own memory
// is bounded (kMaxTermSamples samples).
class RunReader {
 public:
  // Checks header, trailer and footer. `file` lives longer.
  explicit RunReader(const ReadableFile& file);

  const ReadableFile& file() const { return file_; }
  const RunIdentity& identity() const { return identity_; }
  const RunSummary& summary() const { return summary_; }
  std::size_t block_bytes() const { return block_bytes_; }  // the most raw bytes that a block of this run has
  const std::vector<TermSample>& term_samples() const { return samples_; }
  std::uint64_t blocks_end() const { return blocks_end_; }  // offset behind the last block
  std::uint64_t block_count() const { return block_count_; }

 private:
  const ReadableFile& file_;
  RunIdentity identity_;
  RunSummary summary_;
  std::size_t block_bytes_ = 0;
  std::vector<TermSample> samples_;
  std::uint64_t blocks_end_ = 0;
  std::uint64_t block_count_ = 0;
};

// Walks the entries with first <= term < last (empty last: to the end) in order. Holds one block (about 2 * block_bytes
// while decompressing). Postings are checked to decode to exactly document_count ascending documents below the run's
// count, cf and last_document by whoever decodes them (decode_postings does); the entry frame is checked here.
class RunTermCursor final : public TermCursor {
 public:
  static std::size_t memory_bytes(const RunReader& run) { return 2 * run.block_bytes() + 512; }

  RunTermCursor(const RunReader& run, std::string first, std::string last);
  bool next() override;
  const TermPiece& piece() const override { return piece_; }

 private:
  bool load_block();
  const RunReader& run_;
  std::string first_, last_;
  std::uint64_t next_block_offset_ = 0, next_block_number_ = 0;
  std::vector<std::uint8_t> stored_, raw_;
  std::size_t at_ = 0;
  std::uint32_t entries_left_ = 0;
  std::string term_;
  TermPiece piece_;
};

// Walks the document stream. Holds one block and one document (which, with stored text, may be larger than a block).
class RunDocumentCursor final : public DocumentCursor {
 public:
  explicit RunDocumentCursor(const RunReader& run);
  bool next() override;
  const RunDocument& document() const override { return document_; }

 private:
  bool fill(std::size_t bytes);
  const RunReader& run_;
  std::uint64_t next_block_offset_ = 0, next_block_number_ = 0, read_count_ = 0;
  std::vector<std::uint8_t> stored_, stream_;
  std::size_t at_ = 0;
  RunDocument document_;
};

// Decodes the postings of `piece` into documents and frequencies (resized to document_count). Throws FormatError naming
// `where` unless they decode to exactly document_count ascending documents that end at last_document, use every byte,
// and sum to occurrence_count.
void decode_postings(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& documents,
                     std::vector<std::uint32_t>& frequencies);

// Appends one document to a document stream.
void append_run_document(const RunDocument& document, std::vector<std::uint8_t>& stream);

}  // namespace spillway
