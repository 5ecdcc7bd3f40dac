// Packed files of lines, for tests of all codecs.
#pragma once

#include <string>
#include <string_view>

#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway::testing {

inline ReadResult read_lines(std::string_view stored, std::size_t buffer_bytes = std::size_t{1} << 20,
                             unsigned threads = 1) {
  return read_input(stored, setup_of(CorpusFormat::kLines, buffer_bytes, threads));
}

inline std::string numbered_lines(int first, int last) {
  std::string lines;
  for (int i = first; i < last; ++i) lines += "line " + std::to_string(i) + " of many\n";
  return lines;
}

}  // namespace spillway::testing
