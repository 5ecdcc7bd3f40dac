// Names, numbers and fixed sizes of the index format, shared by its writers and readers. An index is a directory of
// section files, each {header, data, page CRCs, footer}, and a manifest, written last, that names them all.
// docs/formats.md lists every byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

// A reader refuses another major version and any incompatible flag it does not know. It ignores unknown compatible
// flags; a higher minor version adds only data that readers may ignore.
inline constexpr std::uint16_t kIndexMajor = 2, kIndexMinor = 0;

// In the order of the manifest. The numbers are part of the format. kPostings and kPositions are the first of the parts
// that list_part() gives.
enum class Section : std::uint8_t {
  kTerms = 1,
  kPostings = 2,
  kBounds = 3,
  kPositions = 4,
  kLengths = 5,
  kDocuments = 6,
  kDocumentGroups = 7,
  kIds = 8,
  kIdOrder = 9,
  kFields = 10,
  kFieldBlocks = 11,
  kText = 12,
  kTextBlocks = 13,
  kDropped = 14,
  kPostings1 = 15,
  kPostings2 = 16,
  kPostings3 = 17,
  kPositions1 = 18,
  kPositions2 = 19,
  kPositions3 = 20
};
inline constexpr std::array<std::string_view, 20> kSectionNames = {
    "terms",      "postings",   "bounds",     "positions",    "lengths",     "documents",   "document_groups",
    "ids",        "id_order",   "fields",     "field_blocks", "text",        "text_blocks", "dropped",
    "postings_1", "postings_2", "postings_3", "positions_1",  "positions_2", "positions_3"};
inline constexpr std::size_t kSectionCount = kSectionNames.size();
inline constexpr std::size_t section_index(Section section) { return static_cast<std::size_t>(section) - 1; }
inline constexpr std::string_view section_name(Section section) { return kSectionNames[section_index(section)]; }

// Beside the file of a section while it is written: more CRCs of pages than memory is set aside for.
inline constexpr std::string_view kPageTableSuffix = ".pages";

inline constexpr std::string_view kManifestName = "manifest";
inline constexpr std::string_view kManifestMagic = "SPWMANIF";
inline constexpr std::string_view kSectionMagic = "SPWINDEX";

// Section files. One CRC covers one page.
inline constexpr std::size_t kSectionHeaderBytes = 64;
inline constexpr std::size_t kSectionFooterBytes = 32;
inline constexpr std::size_t kPageBytes = std::size_t{64} << 10;

// Term table.
inline constexpr std::size_t kNodeBytes = std::size_t{4} << 10;  // target size; an entry with a long term may exceed it
inline constexpr std::size_t kNodeHeaderBytes = 8;
inline constexpr std::size_t kLeafHeaderBytes = 33;
inline constexpr std::size_t kTermTrailerBytes = 24;
inline constexpr std::size_t kMaxTermBytes = 65535;
inline constexpr unsigned kMaxTermTableHeight = 48;

// Lists are dealt to parts, which are files of their own: several threads write several files faster than one. A list
// begins the next part, and after the last the first one, if the lists since the last change of part have
// kPartStretchBytes of postings. Positions go to the part of the same number.
inline constexpr unsigned kListParts = 4;
inline constexpr std::uint64_t kPartStretchBytes = std::uint64_t{1} << 20;
// Returns a part of kPostings or kPositions.
inline constexpr Section list_part(Section first, unsigned part) {
  if (part == 0) return first;
  const Section second = first == Section::kPostings ? Section::kPostings1 : Section::kPositions1;
  return static_cast<Section>(static_cast<unsigned>(second) + part - 1);
}
inline constexpr bool is_part_of(Section first, Section section) {
  return section == first || (section >= list_part(first, 1) && section <= list_part(first, kListParts - 1));
}

// Postings lists.
inline constexpr std::size_t kPostingsBlock = 128;
inline constexpr std::size_t kBoundEntryBytes = 8;
// Bytes of the bound entries of a list of `document_count` postings.
inline std::uint64_t bound_bytes_of(std::uint64_t document_count) {
  if (document_count <= kPostingsBlock) return 0;
  return (document_count / kPostingsBlock + (document_count % kPostingsBlock != 0 ? 1 : 0)) * kBoundEntryBytes;
}

// Whether an index stores the positions of its terms.
enum class Positions : std::uint8_t { kNone, kStored };
inline constexpr std::size_t kPositionPlaceBytes = 8;

// Documents.
inline constexpr std::uint64_t kMaxIndexDocuments = (std::uint64_t{1} << 31) - 1;
inline constexpr std::size_t kDocumentGroup = 64;
inline constexpr std::size_t kGroupEntryBytes = 32;
inline constexpr std::size_t kFieldBlockBytes = std::size_t{16} << 10;
inline constexpr std::size_t kTextBlockBytes = std::size_t{64} << 10;

// Throws FormatError in the wording of all index readers.
[[noreturn]] void throw_damaged(std::string_view path, std::uint64_t offset, std::string_view expected,
                                std::string_view found);

}  // namespace spillway
