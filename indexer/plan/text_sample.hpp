// Tells common words from rare ones by a sample of 512 KiB of the input, which the plan reads before it chooses between
// CPU and GPU (indexer/plan/mode_cost.hpp).
#pragma once

#include <optional>
#include <string_view>

#include "corpora/reader/corpus_reader.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

// Counts per byte of text. Words are maximal runs of ASCII letters, digits and bytes from 0x80, without regard to case.
struct TextSample {
  double words = 0;
  double distinct_words = 0;  // each word once: a figure of samples of 512 KiB, as it falls with their size
};

// Samples the first 512 KiB of `text`. O(bytes) time, about 2 ms; 2 MiB of scratch.
TextSample sample_text(std::string_view text);

// Samples the middle of the largest plain file. None if all files are compressed or streams. Throws IoError.
std::optional<TextSample> sample_corpus(FileSystem& files, const CorpusPlan& corpus);

}  // namespace spillway
