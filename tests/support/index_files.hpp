// The files of an index as bytes, for tests that damage or forge them.
#pragma once

#include <cstdint>
#include <string>

#include "io/format/index.hpp"
#include "io/index/reader.hpp"

namespace spillway::testing {

std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

// The data of a section file, by docs/formats.md.
std::string section_data(const std::string& directory, Section section);
// Replaces the data of a section: all CRCs and hashes, those of the manifest too, are made to fit. Written by
// docs/formats.md, not with the library's writer.
void forge_section(const std::string& directory, Section section, const std::string& data);

// All that a reader hands out, as text: counts, terms, lists, bounds, documents, dropped ones.
std::string read_everything(const IndexReader& index);

}  // namespace spillway::testing
