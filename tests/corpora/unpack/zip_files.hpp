// Zip files for tests, made by libzip.
#pragma once

#include <zip.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway::testing {

struct ZipEntry {
  std::string name, bytes;
  bool deflated = false;
};

inline std::string zip_of(const std::vector<ZipEntry>& entries) {
  const std::string path = shared_directory() / "made.zip";
  std::filesystem::remove(path);
  int error = 0;
  zip_t* const made = zip_open(path.c_str(), ZIP_CREATE, &error);
  for (const ZipEntry& entry : entries) {
    zip_source_t* const source = zip_source_buffer(made, entry.bytes.data(), entry.bytes.size(), 0);
    const zip_int64_t index = zip_file_add(made, entry.name.c_str(), source, 0);
    zip_set_file_compression(made, static_cast<zip_uint64_t>(index), entry.deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  zip_close(made);
  return read_file(posix_file_system(), path);
}

}  // namespace spillway::testing
