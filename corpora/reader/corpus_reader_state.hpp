// What CorpusReader keeps, and TaskParser looks up in it.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>

#include "corpora/reader/packed_reader.hpp"
#include "corpora/reader/task.hpp"

namespace spillway {

struct CorpusReader::State {
  State(FileSystem& the_files, const CorpusPlan& the_plan, const CorpusOptions& the_options,
        const ReaderLimits& the_limits)
      : files(the_files), plan(the_plan), options(the_options), limits(the_limits), left_bytes(the_plan.total_bytes) {}

  // The next piece of the input; nullptr at its end. Requires: the mutex is held.
  std::shared_ptr<CorpusTask::Content> next_content();
  // The next range of a file that is divided; nullptr at its end.
  std::shared_ptr<CorpusTask::Content> next_range(const CorpusFile& file);
  std::uint64_t next_range_bytes() const;

  FileSystem& files;
  const CorpusPlan& plan;
  const CorpusOptions& options;
  ReaderLimits limits;
  std::unique_ptr<PackedReader> packed;  // nullptr: all inputs are plain files
  std::atomic<bool> stopped{false};

  std::mutex mutex;  // for what follows
  std::uint64_t next_number = 0;
  std::size_t next_file = 0;
  std::uint64_t left_bytes = 0;             // of the input, not handed out
  std::uint64_t next_begin = 0;             // in that file, if it is divided
  std::shared_ptr<ReadableFile> open_file;  // that file
  std::exception_ptr error;                 // what next() threw, and throws again
};

}  // namespace spillway
