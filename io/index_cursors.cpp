#include "io/index_cursors.hpp"

#include "io/index_reader_state.hpp"
#include "io/varint.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostPostingBytes = 10;  // a varint of 33 bits and one of 32

}  // namespace

IndexTermCursor::IndexTermCursor(const IndexReader& index, std::string_view first, std::string_view last)
    : index_(index), numbering_(index.dropped_documents()), terms_(index, first), last_(last) {
  postings_.reserve(kPieceBytes);
}

bool IndexTermCursor::next_list() {
  if (!terms_.next() || (!last_.empty() && terms_.entry().term >= last_)) {
    list_.reset();
    return false;
  }
  list_.emplace(index_, terms_.entry());
  numbers_.emplace(numbering_);
  at_ = 0;
  position_offset_ = terms_.entry().position_offset;
  position_end_ = position_offset_ + terms_.entry().position_bytes;
  return true;
}

// False at the end of the list; else the posting at at_ is there to take.
bool IndexTermCursor::next_posting() {
  if (at_ < list_->documents().size()) return true;
  at_ = 0;
  return list_->next_block();
}

bool IndexTermCursor::next() {
  if (!list_ || !next_posting()) {
    do {
      if (!next_list()) return false;
    } while (!next_posting());
  }
  const std::uint64_t first_position = position_offset_;
  postings_.clear();
  piece_ = {};
  piece_.term = terms_.entry().term;
  do {
    const std::uint64_t positions = position_bytes_of_posting();
    const std::uint64_t held = postings_.size() + (position_offset_ - first_position);
    if (piece_.document_count != 0 && held + positions + kMostPostingBytes > kPieceBytes) break;
    append_posting();
    position_offset_ += positions;
  } while (next_posting());
  piece_.postings = postings_;
  if (position_offset_ != first_position) {
    const std::uint64_t bytes = position_offset_ - first_position;
    piece_.positions = {index_.state_->section(Section::kPositions).at(first_position, bytes), bytes};
  }
  return true;
}

void IndexTermCursor::append_posting() {
  const std::uint32_t document = numbers_->to_source(list_->documents()[at_]);
  const std::uint32_t frequency = list_->frequencies()[at_];
  ++at_;
  std::uint8_t bytes[2 * kMaxVarintBytes];
  std::uint8_t* end =
      write_varint(bytes, std::uint64_t{document - piece_.last_document} << 1 | (frequency == 1 ? 1 : 0));
  if (frequency != 1) end = write_varint(end, frequency);
  postings_.insert(postings_.end(), bytes, end);
  ++piece_.document_count;
  piece_.occurrence_count += frequency;
  piece_.last_document = document;
}

// A varint for each occurrence.
std::uint64_t IndexTermCursor::position_bytes_of_posting() {
  if (!index_.options().positions) return 0;
  const SectionReader& section = index_.state_->section(Section::kPositions);
  std::uint64_t at = position_offset_;
  for (std::uint32_t left = list_->frequencies()[at_]; left != 0; ++at) {
    if (at == position_end_) section.fail(at, "a position for each occurrence", "the end of the list");
    if (*section.at(at, 1) < 0x80) --left;
  }
  return at - position_offset_;
}

struct IndexDocumentCursor::Walk {
  std::optional<DocumentSectionsReader::GroupWalk> group;
  BlockStreamReader::Cache fields, texts;
  StoredDocument stored;
  std::string text;
};

IndexDocumentCursor::IndexDocumentCursor(const IndexReader& index)
    : index_(index), numbering_(index.dropped_documents()), walk_(std::make_unique<Walk>()) {}

IndexDocumentCursor::~IndexDocumentCursor() = default;

bool IndexDocumentCursor::next() {
  if (next_source_ == index_.counts().source_documents) return false;
  const auto& dropped = numbering_.dropped();
  if (dropped_passed_ < dropped.size() && dropped[dropped_passed_] == next_source_) {
    ++dropped_passed_;
    document_ = {};
    document_.fields = RunDocument::kDropped;
  } else {
    read_kept();
  }
  ++next_source_;
  return true;
}

void IndexDocumentCursor::read_kept() {
  const DocumentSectionsReader& documents = *index_.state_->documents;
  if (next_kept_ % kDocumentGroup == 0) {
    if (walk_->group) walk_->group->next();  // checks its end
    walk_->group.emplace(documents, next_kept_ / kDocumentGroup);
  }
  walk_->group->next();
  const DocumentSectionsReader::Place& place = walk_->group->place();
  documents.read_fields(place, walk_->stored, walk_->fields);
  walk_->text = documents.read_text(place, walk_->texts);
  document_.fields = place.fields;
  document_.length = index_.document_length(static_cast<std::uint32_t>(next_kept_));
  document_.id = (place.fields & RunDocument::kId) != 0 ? std::string_view(walk_->group->id()) : std::string_view();
  document_.title = walk_->stored.title;
  document_.url = walk_->stored.url;
  document_.date = walk_->stored.date;
  document_.text = walk_->text;
  ++next_kept_;
}

}  // namespace spillway
