// In which form chunks go to a GPU, and how large blocks of tokens are: pure decisions from what was asked, from the
// memory of GPUs, and from costs that were fitted to measured jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/options/index_options.hpp"

namespace spillway {

// "postings", "tables" (kOccurrences), "tokens".
std::string_view chunk_form_name(ChunkForm form);

// Bytes of text to an occurrence: 6.7 to 7.7 on every English text that was measured.
inline constexpr double kTextBytesPerToken = 6.7;

// Seconds, fitted to whole jobs on one H200 with 16 processors over generated text with a Zipf vocabulary.
struct ChunkFormCosts {
  // A byte of text until it is in a run: parsing and writing; the GPU's work is faster than both.
  double table_second_per_byte = 1 / 1.1e9, token_second_per_byte = 1 / 3.6e9;
  double visit_second = 3e-3;  // each visit: launches, and the host's waits for counts
  // Of the merge, for each of a run's expected_terms(): one of 128 MiB of text with a million words took 20 ms.
  double merge_second_per_term = 115e-9;
  // A byte of a block of tokens from the end of parsing to its run: upload, sort, lists down, run written. Nothing
  // overlaps with that of the last block.
  double exposed_second_per_byte = 0.6e-9;
};

struct ChunkFormInput {
  GpuChunks asked = GpuChunks::kAuto;
  std::string record_sorter = "auto", string_sorter = "auto";  // as they were asked for
  bool through_host = false;                                   // the string sorter is one of host memory
  std::size_t pass_bytes = 0;                                  // device memory of one visit
  double table_device_bytes = 0, token_device_bytes = 0;       // of it, for a byte of text
};

struct ChunkFormChoice {
  ChunkForm form = ChunkForm::kTables;
  std::string reason;
  std::string describe() const;
};

// Tokens cost no look-ups, and more device memory: they are taken where what parsing saves is more than smaller blocks
// cost, that is visits, and entries of more runs to merge. UsageError where tokens were asked for, and a sorter that
// cannot take them.
ChunkFormChoice choose_chunk_form(const ChunkFormInput& input, const ChunkFormCosts& costs);

// Bytes of text of a block of tokens, no more than most_bytes: large ones make few runs, small ones end soon after
// parsing does. total_bytes: of the job, 0 if unknown.
std::size_t token_block_bytes(std::size_t most_bytes, std::uint64_t total_bytes, const ChunkFormCosts& costs);

}  // namespace spillway
