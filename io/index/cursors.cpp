#include "io/index/cursors.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "io/base/varint.hpp"
#include "io/index/state.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostPostingBytes = 10;  // varints of 33 and 32 bits
constexpr std::size_t kMostStretchBytes =
    kDistanceBlock * 5;  // varints of the positions returned by one call of PositionCursor::next()

// Writes a posting as a run holds it. Requires: room for kMostPostingBytes. Most gaps and frequencies take one byte;
// these are written without a branch on whether the frequency is 1, which is hard to predict.
std::uint8_t* write_posting(std::uint8_t* to, std::uint64_t gap, std::uint32_t frequency) {
  const unsigned single = frequency == 1;
  const std::uint64_t word = gap << 1 | single;
  if ((word | frequency) < 0x80) {
    to[0] = static_cast<std::uint8_t>(word);
    to[1] = static_cast<std::uint8_t>(frequency);
    return to + 2 - single;
  }
  to = write_varint(to, word);
  return single != 0 ? to : write_varint(to, frequency);
}

// Writes postings that come after the document `previous`, while the next begins before `last`. Returns how many.
std::size_t write_postings(std::span<const std::uint32_t> documents, const std::uint32_t* frequencies,
                           std::uint32_t previous, std::uint8_t*& to, const std::uint8_t* last) {
  std::uint8_t* at = to;
  std::size_t count = 0;
  for (; count < documents.size() && at <= last; ++count) {
    at = write_posting(at, documents[count] - previous, frequencies[count]);
    previous = documents[count];
  }
  to = at;
  return count;
}

}  // namespace

IndexTermCursor::IndexTermCursor(const IndexReader& index, std::string_view first, std::string_view last,
                                 std::atomic<std::uint64_t>* cuts)
    : index_(index), numbering_(index.state().numbering()), terms_(index, first), last_(last), cuts_(cuts) {
  postings_.resize(kEntryBytes);
  if (index.options().positions) positions_.reserve(kEntryBytes);
}

bool IndexTermCursor::next_list() {
  if (!terms_.next() || (!last_.empty() && terms_.entry().term >= last_)) {
    list_.reset();
    return false;
  }
  list_.emplace(index_, terms_.entry());
  numbers_.emplace(numbering_);
  if (index_.options().positions) position_cursor_.emplace(index_, terms_.entry());
  at_ = 0;
  return true;
}

// Returns false at the end of the list; otherwise index at_ is the next posting.
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
  posting_bytes_ = 0;
  positions_.clear();
  entry_ = {};
  entry_.term = terms_.entry().term;
  if (position_cursor_) {
    while (has_room() && next_posting() && append_posting()) {
    }
  } else {
    while (has_room() && next_posting()) append_block();
  }
  entry_.postings = {postings_.data(), posting_bytes_};
  entry_.positions = positions_;
  return true;
}

bool IndexTermCursor::has_room() const {
  const std::size_t more = kMostPostingBytes + (position_cursor_ ? kMostStretchBytes : 0);
  return posting_bytes_ + positions_.size() + more <= kEntryBytes;
}

// Appends the postings that are left of the list's block, as far as the entry has room. Requires: room for one.
void IndexTermCursor::append_block() {
  std::span<const std::uint32_t> documents = list_->documents().subspan(at_);
  const std::uint32_t* const frequencies = list_->frequencies().data() + at_;
  std::array<std::uint32_t, kPostingsBlock> in_source;
  if (numbering_.dropped_count() != 0) {
    for (std::size_t i = 0; i < documents.size(); ++i) in_source[i] = numbers_->to_source(documents[i]);
    documents = {in_source.data(), documents.size()};
  }
  std::uint8_t* to = postings_.data() + posting_bytes_;
  const std::size_t count = write_postings(documents, frequencies, entry_.last_document, to,
                                           postings_.data() + kEntryBytes - kMostPostingBytes);
  entry_.document_count += static_cast<std::uint32_t>(count);
  entry_.occurrence_count = std::accumulate(frequencies, frequencies + count, entry_.occurrence_count);
  entry_.last_document = documents[count - 1];
  posting_bytes_ = static_cast<std::size_t>(to - postings_.data());
  at_ += count;
}

// Appends a posting with its positions. Returns false if the entry is full before the posting ends. Requires: room for
// the posting's head and one batch of positions.
bool IndexTermCursor::append_posting() {
  const std::uint32_t document = numbers_->to_source(list_->documents()[at_]);
  const std::uint32_t rest = list_->frequencies()[at_] - taken_;
  const std::uint32_t frequency = append_positions(rest);
  std::uint8_t* const to = postings_.data() + posting_bytes_;
  posting_bytes_ += static_cast<std::size_t>(write_posting(to, document - entry_.last_document, frequency) - to);
  ++entry_.document_count;
  entry_.occurrence_count += frequency;
  entry_.last_document = document;
  if (frequency != rest && cuts_ != nullptr) ++*cuts_;
  taken_ = frequency == rest ? 0 : taken_ + frequency;
  at_ += frequency == rest ? 1 : 0;
  return frequency == rest;
}

// Appends as many of the `rest` positions of the posting as fit, at least one, and returns their number.
std::uint32_t IndexTermCursor::append_positions(std::uint32_t rest) {
  if (taken_ == 0) position_cursor_->seek(*list_, at_);
  std::uint32_t count = 0, last = 0;
  while (count != rest && has_room()) {
    const auto positions = position_cursor_->next();
    std::uint8_t bytes[kMostStretchBytes];
    std::uint8_t* end = bytes;
    for (const std::uint32_t position : positions) {
      end = write_varint(end, position - last);
      last = position;
    }
    positions_.insert(positions_.end(), bytes, end);
    count += static_cast<std::uint32_t>(positions.size());
  }
  return count;
}

struct IndexDocumentCursor::Walk {
  std::optional<DocumentSectionsReader::GroupWalk> group;
  BlockStreamReader::Cache fields;
  StoredDocument stored;
};

IndexDocumentCursor::IndexDocumentCursor(const IndexReader& index)
    : index_(index), numbering_(index.state().numbering()), walk_(std::make_unique<Walk>()) {}

IndexDocumentCursor::~IndexDocumentCursor() { index_.state().release_pages(); }

bool IndexDocumentCursor::next() {
  if (next_source_ == index_.counts().source_documents) return false;
  if (numbering_.is_dropped(next_source_)) {
    document_ = {};
    document_.fields = RunDocument::kDropped;
  } else {
    read_kept();
  }
  ++next_source_;
  return true;
}

void IndexDocumentCursor::read_kept() {
  const DocumentSectionsReader& documents = *index_.state().documents;
  if (next_kept_ % kDocumentGroup == 0) {
    if (walk_->group) walk_->group->next();  // checks the end of the group
    walk_->group.emplace(documents, next_kept_ / kDocumentGroup);
  }
  walk_->group->next();
  const DocumentSectionsReader::Place& place = walk_->group->place();
  documents.read_fields(place, walk_->stored, walk_->fields);
  document_.fields = place.fields;
  document_.length = index_.document_length(static_cast<std::uint32_t>(next_kept_));
  document_.id = (place.fields & RunDocument::kId) != 0 ? std::string_view(walk_->group->id()) : std::string_view();
  document_.title = walk_->stored.title;
  document_.url = walk_->stored.url;
  document_.date = walk_->stored.date;
  index_.state().check_whole(
      {Section::kDocuments, Section::kDocumentGroups, Section::kIds, Section::kFields, Section::kFieldBlocks});
  ++next_kept_;
}

struct IndexTextCursor::Walk {
  std::optional<DocumentSectionsReader::GroupWalk> group;
  BlockStreamReader::Cache texts;
};

IndexTextCursor::IndexTextCursor(const IndexReader& index)
    : index_(index), numbering_(index.state().numbering()), walk_(std::make_unique<Walk>()) {}

IndexTextCursor::~IndexTextCursor() { index_.state().release_pages(); }

void IndexTextCursor::begin_document() {
  in_document_ = true;
  left_ = 0;
  if (numbering_.is_dropped(next_source_)) return;
  if (next_kept_ % kDocumentGroup == 0) {
    if (walk_->group) walk_->group->next();  // checks the end of the group
    walk_->group.emplace(*index_.state().documents, next_kept_ / kDocumentGroup);
  }
  walk_->group->next();
  ++next_kept_;
  offset_ = walk_->group->place().text_offset;
  left_ = walk_->group->place().text_bytes;
}

bool IndexTextCursor::next() {
  if (!in_document_) {
    if (next_source_ == index_.counts().source_documents) return false;
    begin_document();
  }
  const BlockStreamReader& texts = index_.state().documents->text();
  fragment_ = {};
  if (left_ != 0) {
    texts.load(offset_ / kTextBlockBytes, walk_->texts);
    const std::uint64_t at = offset_ % kTextBlockBytes;
    const std::uint64_t bytes = std::min<std::uint64_t>(left_, walk_->texts.raw.size() - at);
    fragment_.bytes = {reinterpret_cast<const char*>(walk_->texts.raw.data()) + at, static_cast<std::size_t>(bytes)};
    offset_ += bytes;
    left_ -= bytes;
  }
  index_.state().check_whole({Section::kDocuments, Section::kDocumentGroups, Section::kText, Section::kTextBlocks});
  if (left_ == 0) {
    fragment_.ends_document = true;
    in_document_ = false;
    ++next_source_;
  }
  return true;
}

}  // namespace spillway
