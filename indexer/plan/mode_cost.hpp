// Estimates the time of a job in the modes cpu+ and gpu+ by a linear model of measured costs. `--mode auto` decides by
// it before it asks the driver for a GPU: starting one takes longer than indexing 200 MB of text on 16 processors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "corpora/reader/corpus_reader.hpp"
#include "indexer/plan/text_sample.hpp"

namespace spillway {

struct ModeCostInput {
  std::uint64_t text_bytes = 0;  // unpacked; 0: unknown, as a stream is among the inputs
  double reader_seconds = 0;     // of the one thread that unpacks compressed files
  unsigned threads = 1;
  std::size_t memory_bytes = 0;
  bool positions = false;
  std::optional<TextSample> sample;
};

// Seconds of whole processes.
struct ModeCosts {
  double cpu_seconds = 0, gpu_seconds = 0;
  bool prefers_gpu() const { return gpu_seconds < cpu_seconds; }
  std::string describe() const;  // "about 0.26 s with cpu+, 0.45 s with gpu+"
};

ModeCosts mode_costs(const ModeCostInput& input);

// Reads a sample of 512 KiB (indexer/plan/text_sample.hpp) if the kind of text can decide between the modes. O(files).
// Takes text_bytes and reader_seconds from `corpus`. Throws IoError.
ModeCosts mode_costs(FileSystem& files, const CorpusPlan& corpus, ModeCostInput input);

}  // namespace spillway
