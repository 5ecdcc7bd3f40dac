// Chooses the form in which chunks go to a GPU, and the size of blocks of tokens: pure decisions from the options, the
// memory of the GPUs, and costs that were fitted to measured jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/options/index_options.hpp"

namespace spillway {

// "postings", "tables" (kTables), "tokens".
std::string_view chunk_form_name(ChunkForm form);

// Bytes of text for each occurrence: 6.7 to 7.7 on every English text that was measured.
inline constexpr double kTextBytesPerToken = 6.7;

// Seconds, fitted to whole jobs on one H200 with 16 processors over generated text with a Zipf vocabulary.
struct ChunkFormCosts {
  // Parsing a byte of text and writing its run; the GPU's work is faster than both.
  double table_second_per_byte = 1 / 1.1e9, token_second_per_byte = 1 / 3.6e9;
  double pass_second = 3e-3;  // of a block pass: launches, and the host's waits for counts
  // The merge by 16 processors, for each of a run's expected_terms(): a run of 128 MiB of text with a million words
  // took 20 ms.
  double merge_second_per_term = 115e-9;
  // The same by a GPU, in seconds of one thread; where the merge is short, the processors take no longer. It was fitted
  // with a byte of a block taken for one of text, though a byte of packed tokens holds about 1.3.
  double gpu_merge_thread_second_per_term = 640e-9;
  // A byte of the last block of tokens from the end of parsing to its run (upload, sort, download, write), which
  // nothing overlaps.
  double exposed_second_per_byte = 0.6e-9;
};

struct ChunkFormInput {
  GpuChunks asked = GpuChunks::kAuto;
  std::string record_sorter = "auto";                     // as --record-sorter names it
  std::size_t pass_bytes = 0;                             // device memory of one block pass
  double table_device_bytes = 0, token_device_bytes = 0;  // of it, per byte of text
};

struct ChunkFormChoice {
  ChunkForm form = ChunkForm::kTables;
  std::string reason;
  std::string describe() const;
};

// Tokens save the parser its look-ups but need more device memory, so blocks are smaller: more block passes, and
// entries of more runs to merge. Chooses the cheaper form. UsageError if the options ask for tokens and for a sorter
// that cannot take them.
ChunkFormChoice choose_chunk_form(const ChunkFormInput& input, const ChunkFormCosts& costs);

// Bytes of a block of tokens, at most `most_bytes`: large blocks make few runs, and small ones give their memory back
// to parsers sooner; the pass over the last one ends soon after parsing. total_bytes: of the job, 0 if unknown.
std::size_t token_block_bytes(std::size_t most_bytes, std::uint64_t total_bytes, unsigned threads,
                              const ChunkFormCosts& costs);

}  // namespace spillway
