// The files of an index as bytes, for tests that damage or forge them.
#pragma once

#include <cstdint>
#include <string>

#include "io/format/index.hpp"
#include "io/index/reader.hpp"

namespace spillway::testing {

std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

// Returns the data of a section file, read according to docs/formats.md.
std::string section_data(const std::string& directory, Section section);
// Replaces the data of a section and updates all CRCs and hashes, including those of the manifest. Follows
// docs/formats.md rather than using the library's writer.
void forge_section(const std::string& directory, Section section, const std::string& data);

// Returns everything that a reader returns, as text: counts, terms, lists, bounds, documents, dropped documents.
std::string read_everything(const IndexReader& index);

}  // namespace spillway::testing
