// Opens runs (io/format/run.hpp). Every byte is checked before it is used; any fault is a FormatError that names path
// and offset.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/format/run.hpp"
#include "io/memory/buffer_pool.hpp"

namespace spillway {

// Header, footer and samples of a run. Immutable after construction, except for the buffers that its term cursors
// leave; shared by cursors on many threads. Holds at most kMaxTermSamples samples, and a buffer for each of the largest
// number of term cursors open at a time.
class RunReader {
 public:
  // Checks header, trailer and footer. `file` outlives the reader.
  explicit RunReader(const ReadableFile& file);

  const ReadableFile& file() const { return file_; }
  const RunIdentity& identity() const { return identity_; }
  const RunSummary& summary() const { return summary_; }
  std::size_t block_bytes() const { return block_bytes_; }  // size of the run's largest block
  std::size_t longest_term_bytes() const { return longest_term_bytes_; }
  const std::vector<TermSample>& term_samples() const { return samples_; }
  std::uint64_t blocks_end() const { return blocks_end_; }  // offset after the last block
  std::uint64_t block_count() const { return block_count_; }
  std::uint64_t document_bytes() const { return document_bytes_; }  // of the document stream
  std::uint32_t header_crc() const { return header_crc_; }          // the CRCs of blocks start from it
  std::size_t memory_bytes() const;                                 // approximate, without buffers
  BufferPool& spare_buffers() const { return spare_buffers_; }

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
  mutable BufferPool spare_buffers_;
};

}  // namespace spillway
