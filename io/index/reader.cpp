#include "io/index/reader.hpp"
#include "io/format/index_types.hpp"

#include <algorithm>
#include <charconv>

#include "io/base/byte_order.hpp"
#include "io/index/state.hpp"
#include "io/postings/bit_packing.hpp"
#include "io/postings/list_encoder.hpp"

namespace spillway {

namespace {

// Returns the document whose computed id is `id`: number + 1 in canonical decimal digits.
std::optional<std::uint64_t> computed_document(std::string_view id) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), value);
  if (error != std::errc{} || end != id.data() + id.size() || id.front() == '0') return std::nullopt;
  return value - 1;
}

}  // namespace

IndexReader::IndexReader(FileSystem& files, const std::string& directory, std::size_t resident_bytes)
    : state_(IndexState::open(files, directory, resident_bytes)) {}

IndexReader::~IndexReader() = default;

const std::string& IndexReader::directory() const { return state_->directory; }
const ContentOptions& IndexReader::options() const { return state_->manifest.options; }
const IndexCounts& IndexReader::counts() const { return state_->manifest.counts; }

std::vector<IndexReader::FileStats> IndexReader::files() const {
  std::vector<FileStats> stats;
  for (std::size_t i = 0; i < kSectionCount; ++i) {
    stats.push_back({std::string(kSectionNames[i]), state_->manifest.sections[i].file_bytes});
  }
  stats.push_back({std::string(kManifestName), state_->manifest_bytes});
  return stats;
}

std::optional<TermEntry> IndexReader::find_term(std::string_view term) const {
  auto found = state_->terms->find(term);
  state_->check_whole({Section::kTerms});
  return found;
}

std::vector<BlockBound> IndexReader::bounds(const TermEntry& entry) const {
  const std::uint64_t bytes = bound_bytes_of(entry.document_count);
  const SectionReader& section = state_->section(Section::kBounds);
  const std::uint8_t* from = section.at(entry.bound_offset, bytes);
  std::vector<BlockBound> bounds;
  bounds.reserve(bytes / kBoundEntryBytes);
  std::uint64_t offset = 0;
  for (std::uint64_t at = 0; at < bytes; at += kBoundEntryBytes, from += kBoundEntryBytes) {
    bounds.push_back({load_le<std::uint32_t>(from), frequency_of_code(from[6]), length_of_code(from[7]), offset});
    offset += packed_bytes(from[4]) + packed_bytes(from[5]);
    if (from[4] > kMaxPackedWidth || from[5] > kMaxPackedWidth || offset > entry.posting_bytes) {
      section.fail(entry.bound_offset + at, "widths of blocks inside the list", "more");
    }
  }
  section.check_whole();
  return bounds;
}

std::uint32_t IndexReader::document_length(std::uint32_t document) const {
  const SectionReader& lengths = state_->section(Section::kLengths);
  const auto length = load_le<std::uint32_t>(lengths.at(std::uint64_t{document} * 4, 4));
  lengths.check_whole();
  return length;
}

void IndexReader::check_whole() const { state_->check_whole(); }

std::span<const std::uint32_t> IndexReader::document_lengths() const { return document_lengths(0, counts().documents); }

std::span<const std::uint32_t> IndexReader::document_lengths(std::uint64_t first, std::uint64_t count) const {
  // Aligned: data starts at byte 64 of a file that is mapped at a page or allocated.
  return {reinterpret_cast<const std::uint32_t*>(state_->section(Section::kLengths).at(first * 4, count * 4)), count};
}

std::string IndexReader::document_id(std::uint32_t document) const {
  std::string id;
  if (!state_->documents->stored_id(document, id)) id = std::to_string(std::uint64_t{document} + 1);
  state_->check_whole();
  return id;
}

StoredDocument IndexReader::document(std::uint32_t document) const {
  DocumentSectionsReader::GroupWalk walk(*state_->documents, document / kDocumentGroup);
  for (std::uint32_t i = 0; i <= document % kDocumentGroup; ++i) walk.next();
  StoredDocument stored;
  BlockStreamReader::Cache cache;
  state_->documents->read_fields(walk.place(), stored, cache);
  const bool has_id = (stored.fields & RunDocument::kId) != 0;
  stored.id = has_id ? walk.id() : std::to_string(std::uint64_t{document} + 1);
  stored.length = document_length(document);
  state_->check_whole();
  return stored;
}

std::string IndexReader::document_text(std::uint32_t document, std::uint64_t most_bytes) const {
  DocumentSectionsReader::GroupWalk walk(*state_->documents, document / kDocumentGroup);
  for (std::uint32_t i = 0; i <= document % kDocumentGroup; ++i) walk.next();
  BlockStreamReader::Cache cache;
  DocumentSectionsReader::Place place = walk.place();
  place.text_bytes = std::min(place.text_bytes, most_bytes);
  std::string text = state_->documents->read_text(place, cache);
  state_->check_whole();
  return text;
}

std::vector<std::uint32_t> IndexReader::find_documents(std::string_view id) const {
  const SectionReader& order = state_->section(Section::kIdOrder);
  std::string found_id;
  const auto document_at = [&](std::uint64_t place) {
    const auto document = load_le<std::uint32_t>(order.at(place * 4, 4));
    if (document >= counts().documents || !state_->documents->stored_id(document, found_id)) {
      order.fail(place * 4, "a document with a stored id", std::to_string(document));
    }
    return document;
  };
  std::uint64_t low = 0, high = counts().stored_ids;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    document_at(middle);
    (found_id < id ? low : high) = found_id < id ? middle + 1 : middle;
  }
  std::vector<std::uint32_t> documents;
  for (; low < counts().stored_ids; ++low) {
    const std::uint32_t document = document_at(low);
    if (found_id != id) break;
    documents.push_back(document);
  }
  if (documents.empty() && !id.empty() && counts().stored_ids != counts().documents) {
    const auto computed = computed_document(id);
    if (computed && *computed < counts().documents &&
        !state_->documents->stored_id(static_cast<std::uint32_t>(*computed), found_id)) {
      documents.push_back(static_cast<std::uint32_t>(*computed));
    }
  }
  state_->check_whole();
  return documents;
}

std::vector<std::uint32_t> IndexReader::dropped_documents() const {
  std::vector<std::uint32_t> dropped;
  for (std::uint64_t document = 0; document < counts().source_documents; ++document) {
    if (state_->numbering().is_dropped(document)) dropped.push_back(static_cast<std::uint32_t>(document));
  }
  return dropped;
}

struct TermTableCursor::State {
  State(const TermTableReader& terms, std::string_view first)
      : section(terms.section()), walk(terms, first), from(first) {}

  bool find_next() {
    do {
      while (!walk.next()) {
        if (!walk.next_leaf()) return false;
      }
    } while (!positioned && walk.entry().term < from);
    positioned = true;
    return true;
  }

  const SectionReader& section;
  TermTableReader::Walk walk;
  std::string from;
  bool positioned = false;
};

TermTableCursor::TermTableCursor(const IndexReader& index, std::string_view first)
    : state_(std::make_unique<State>(*index.state().terms, first)) {}

TermTableCursor::~TermTableCursor() = default;

bool TermTableCursor::next() {
  const bool found = state_->find_next();
  state_->section.check_whole();
  return found;
}

const TermEntry& TermTableCursor::entry() const { return state_->walk.entry(); }

}  // namespace spillway
