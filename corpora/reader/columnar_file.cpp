#include "corpora/reader/columnar_file.hpp"

#include <span>
#include <string>

#include "io/base/error.hpp"

namespace spillway {

void refuse_columnar_file(FileSystem& files, const CorpusFile& file, std::string_view head) {
  static constexpr struct {
    std::string_view magic, name;
  } kFormats[] = {{"PAR1", "a Parquet file"}, {"ARROW1", "an Arrow IPC file"}};
  for (const auto& format : kFormats) {
    if (!head.starts_with(format.magic) || file.size < 2 * format.magic.size()) continue;
    std::string tail(format.magic.size(), '\0');
    files.open(file.path)->read_exactly(file.size - tail.size(),
                                        {reinterpret_cast<std::uint8_t*>(tail.data()), tail.size()});
    if (tail != format.magic) continue;
    throw UsageError("input " + printable(file.path, 4096) + ": expected text, found " + std::string(format.name) +
                     "; the program 'spillway' of the Python package reads it (pip install 'spillway[parquet]', "
                     "docs/python.md)");
  }
}

}  // namespace spillway
