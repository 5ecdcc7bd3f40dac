// Recognises files of columns, which only the Python package reads (docs/python.md).
#pragma once

#include <string_view>

#include "corpora/reader/file_table.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

// Throws UsageError, which says how to get a program that reads it, if the file begins and ends as Parquet or Arrow
// files do. `head`: its first bytes.
void refuse_columnar_file(FileSystem& files, const CorpusFile& file, std::string_view head);

}  // namespace spillway
