// Reads runs (io/format/run.hpp). Every byte is checked before it is believed; anything wrong is a FormatError that
// names path and offset.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/format/run.hpp"
#include "io/memory/buffer_pool.hpp"

namespace spillway {

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

}  // namespace spillway
