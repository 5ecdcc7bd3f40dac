// Text for benchmarks of whole jobs, made in a file.
#pragma once

#include <cstdint>
#include <string>

#include "tools/cli/command.hpp"

namespace spillway {

struct TextFile {
  std::uint64_t bytes = 0;  // of the file, about
  double mean_words = 300;  // of a document
  unsigned threads = 1;     // that make it; the text does not depend on them
};

// The path of a text in the directory of a BenchScratch, which removes it at the end.
std::string text_path_in(const std::string& scratch);

// Writes JSON lines to `path`. Throws IoError, and as throw_if_interrupted().
void write_text_file(Session& session, const std::string& path, const TextFile& text);

// Copies the first lines of the file `source` to `path`: those that end within `bytes`, or the first one if it is
// longer. Returns their bytes. Throws IoError, and as throw_if_interrupted().
std::uint64_t write_first_lines(Session& session, const std::string& source, std::uint64_t bytes,
                                const std::string& path);

}  // namespace spillway
