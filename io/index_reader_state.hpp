// What an open index consists of: shared by the reader, its cursors and verify.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/document_sections.hpp"
#include "io/manifest.hpp"
#include "io/section_file.hpp"
#include "io/term_table.hpp"

namespace spillway {

struct IndexReader::State {
  State(FileSystem& files, std::string path);

  const SectionReader& section(Section name) const { return *sections[section_index(name)]; }
  // Decoded anew by each call.
  std::vector<std::uint32_t> read_dropped() const;

  std::string directory;
  Manifest manifest;
  std::uint64_t manifest_bytes = 0;
  std::array<std::unique_ptr<SectionReader>, kSectionCount> sections;
  std::optional<TermTableReader> terms;
  std::optional<DocumentSectionsReader> documents;

 private:
  void read_manifest(FileSystem& files);
  void check_sizes() const;
};

}  // namespace spillway
