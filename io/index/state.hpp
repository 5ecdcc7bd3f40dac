// The parts of an open index, shared by its reader, its cursors and verify_index().
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/docstore/reader.hpp"
#include "io/index/manifest.hpp"
#include "io/index/source_numbering.hpp"
#include "io/section/reader.hpp"
#include "io/termdict/reader.hpp"

namespace spillway {

struct IndexState {
  // An index that is replaced while its files are opened is opened again.
  static std::unique_ptr<IndexState> open(FileSystem& files, const std::string& path, std::size_t resident_bytes);

  const SectionReader& section(Section name) const { return *sections[section_index(name)]; }
  // The part of the section that holds the list of a term.
  const SectionReader& postings(unsigned part) const { return section(list_part(Section::kPostings, part)); }
  const SectionReader& positions(unsigned part) const { return section(list_part(Section::kPositions, part)); }
  // Decoded by the first call.
  const SourceNumbering& numbering() const;
  // As SectionReader::check_whole, of all sections or of those given.
  void check_whole() const {
    for (const auto& opened : sections) opened->check_whole();
  }
  void check_whole(std::initializer_list<Section> names) const {
    for (const Section name : names) section(name).check_whole();
  }
  // Unloads the pages of all sections from this process's memory; later reads load them again.
  void release_pages() const;

  std::string directory;
  Manifest manifest;
  std::uint64_t manifest_bytes = 0;
  std::array<std::unique_ptr<SectionReader>, kSectionCount> sections;
  std::optional<TermTableReader> terms;
  std::optional<DocumentSectionsReader> documents;

 private:
  IndexState(FileSystem& files, std::string path, const std::string& manifest_text, std::size_t resident_bytes);
  void check_sizes() const;
  void read_dropped() const;
  mutable std::once_flag dropped_once_;
  mutable SourceNumbering numbering_;
};

}  // namespace spillway
