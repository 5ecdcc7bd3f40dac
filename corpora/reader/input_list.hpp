// Expands the INPUT arguments to files in input order: walks directories and reads lists (@FILE). It hands the files on
// one by one and keeps none, so that their number is not bounded by memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "corpora/reader/file_table.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

struct InputVisit {
  const std::function<void()>& check;                 // as in plan_corpus()
  std::size_t names_bytes;                            // memory for names of directories that are being listed
  std::function<void(const CorpusFile& file)> visit;  // `file`: path, id, size and time, and whether it is a stream
};

// Throws UsageError if an input does not exist or is a device or socket, if a line of a list is no path, or if there is
// no file at all.
void list_inputs(FileSystem& files, const std::vector<std::string>& inputs, const InputVisit& visit);

}  // namespace spillway
