#include "io/index/state.hpp"

#include "io/base/error.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

// Each time another job must have replaced the index within milliseconds.
constexpr int kMostOpenings = 20;

std::string manifest_path(const std::string& directory) { return directory + "/" + std::string(kManifestName); }

std::string read_manifest(FileSystem& files, const std::string& directory) {
  const std::string path = manifest_path(directory);
  if (!files.status(directory)) throw IoError("cannot open the index " + printable(directory) + ": it does not exist");
  const auto status = files.status(path);
  if (!status || status->type != FileType::kRegular) {
    throw FormatError(printable(directory) + ": expected an index, found " +
                      (status ? std::string(name_of(status->type)) + " \"manifest\"" : "no file \"manifest\"") +
                      " in it; it is another directory, or an index that was never finished: build it again");
  }
  return read_file(files, path);
}

}  // namespace

std::unique_ptr<IndexState> IndexState::open(FileSystem& files, const std::string& path, std::size_t resident_bytes) {
  for (int openings = 1;; ++openings) {
    const std::string manifest_text = read_manifest(files, path);
    try {
      return std::unique_ptr<IndexState>(new IndexState(files, path, manifest_text, resident_bytes));
    } catch (const Error&) {
      if (openings == kMostOpenings || read_manifest(files, path) == manifest_text) throw;
    }
  }
}

IndexState::IndexState(FileSystem& files, std::string path, const std::string& manifest_text,
                       std::size_t resident_bytes)
    : directory(std::move(path)),
      manifest(Manifest::parse(manifest_text, manifest_path(directory))),
      manifest_bytes(manifest_text.size()) {
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    sections[i] = std::make_unique<SectionReader>(files, directory, static_cast<Section>(i + 1), manifest.sections[i],
                                                  resident_bytes);
  }
  for (const auto& opened : sections) opened->set_siblings(sections);
  check_sizes();
  const IndexCounts& counts = manifest.counts;
  TermTableReader::Limits limits{.terms = counts.terms,
                                 .documents = counts.documents,
                                 .bound_bytes = section(Section::kBounds).size(),
                                 .positions = manifest.options.positions};
  for (unsigned part = 0; part < kListParts; ++part) {
    limits.posting_bytes[part] = postings(part).size();
    limits.position_bytes[part] = positions(part).size();
  }
  terms.emplace(section(Section::kTerms), limits);
  documents.emplace(DocumentSectionsReader::Sections{section(Section::kDocuments), section(Section::kDocumentGroups),
                                                     section(Section::kIds), section(Section::kFields),
                                                     section(Section::kFieldBlocks), section(Section::kText),
                                                     section(Section::kTextBlocks)},
                    counts.documents);
  if (resident_bytes != 0) release_pages();
}

void IndexState::release_pages() const {
  for (const auto& opened : sections) opened->release();
}

void IndexState::check_sizes() const {
  const IndexCounts& counts = manifest.counts;
  const auto check = [](const SectionReader& found, std::uint64_t expected) {
    if (found.size() != expected) {
      found.fail(found.size(), std::to_string(expected) + " bytes of data as the counts say",
                 std::to_string(found.size()));
    }
  };
  check(section(Section::kLengths), counts.documents * 4);
  check(section(Section::kIdOrder), counts.stored_ids * 4);
  if (manifest.options.positions) return;
  for (unsigned part = 0; part < kListParts; ++part) check(positions(part), 0);
}

void IndexState::read_dropped() const {
  const SectionReader& from = section(Section::kDropped);
  const std::uint64_t count = manifest.counts.source_documents - manifest.counts.documents;
  const std::uint8_t *begin = from.at(0, from.size()), *at = begin, *end = begin + from.size();
  std::uint64_t next = 0;
  if (count != 0) numbering_.reserve(manifest.counts.source_documents);
  while (at != end) {
    std::uint64_t gap = 0;
    if (!read_varint(&at, end, &gap) || gap >= manifest.counts.source_documents - next) {
      from.fail(static_cast<std::uint64_t>(at - begin), "a dropped document of the source", "a higher number");
    }
    numbering_.drop(static_cast<std::uint32_t>(next + gap));
    next += gap + 1;
  }
  if (numbering_.dropped_count() != count) {
    from.fail(from.size(), std::to_string(count) + " dropped documents", std::to_string(numbering_.dropped_count()));
  }
  from.check_whole();
  numbering_.seal();
}

const SourceNumbering& IndexState::numbering() const {
  std::call_once(dropped_once_, [this] {
    numbering_ = {};
    read_dropped();
  });
  return numbering_;
}

}  // namespace spillway
