// What a CorpusTask holds: the border between CorpusReader, which makes tasks, and TaskParser.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "corpora/reader/corpus_reader.hpp"
#include "corpora/reader/window_pool.hpp"
#include "corpora/unpack/unpacking_stream.hpp"

namespace spillway {

// The records of a plain file that is divided (all but text) that start in [begin, end).
struct PlainRange {
  const CorpusFile* file = nullptr;
  std::shared_ptr<ReadableFile> bytes;
  std::uint64_t begin = 0, end = 0;
};

// Plain files that are one document each: plan.files[first, last).
struct TextFiles {
  std::size_t first = 0, last = 0;
};

// Whole records of a compressed file or stream, and faults of the container behind them.
struct UnpackedRecords {
  const CorpusFile* file = nullptr;
  CorpusFormat format = CorpusFormat::kText;
  PooledWindow window;
  std::size_t bytes = 0;              // in the window
  std::uint64_t unpacked_offset = 0;  // of the window's first byte
  // Or, instead of the window's: one record that is too long for it, without its newline.
  std::unique_ptr<TempFile> spooled;
  std::uint64_t spooled_bytes = 0;  // of the record, also if it is longer than what was spooled
  std::vector<ContainerFault> faults;
  bool ends_input = false;
  std::uint64_t stored_bytes = 0;  // used up since the task before
};

struct CorpusTask::Content {
  std::variant<PlainRange, TextFiles, UnpackedRecords> work;
};

}  // namespace spillway
