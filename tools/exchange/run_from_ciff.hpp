// Makes a run of what a CIFF file holds, so that the merge of a job makes an index of it as of any run: in bounded
// memory, with ids in order, bounds of lists and checksums.
#pragma once

#include <cstdint>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/run/term_block_builder.hpp"
#include "io/run/writer.hpp"
#include "tools/exchange/ciff_reader.hpp"

namespace spillway {

class RunFromCiff final : public CiffSink {
 public:
  // `file` is empty and outlives this. `job`: of the content options of the index.
  RunFromCiff(WritableFile& file, const Hash128& job, std::size_t block_bytes);

  void header(const CiffHeader& header) override { header_ = header; }
  void begin_list(std::string_view term) override;
  void posting(std::uint32_t document, std::uint32_t frequency) override;
  void end_list() override;
  void document(std::string_view id, std::uint32_t length) override;

  // Ends the run. Requires: read_ciff() returned.
  RunSummary finish();
  const CiffHeader& header() const { return header_; }
  // The most memory that this takes.
  static std::size_t memory_bytes(std::size_t block_bytes);

 private:
  void begin_entry();
  void end_entry();
  RunWriter writer_;
  TermBlockBuilder builder_;
  CiffHeader header_;
  RunSummary summary_;
  std::string term_;
  DocumentWeight weight_;
  RunEntry entry_;
  std::uint32_t previous_document_ = 0;  // of the entry
  std::size_t room_ = 0;                 // for bytes of the entry
  std::vector<std::uint8_t> postings_, documents_;
};

}  // namespace spillway
