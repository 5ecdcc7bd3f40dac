#include <algorithm>

#include "io/docstore/sections.hpp"
#include "io/index/cursors.hpp"
#include "io/index/reader_state.hpp"

namespace spillway {

struct IndexTextCursor::Walk {
  std::optional<DocumentSectionsReader::GroupWalk> group;
  BlockStreamReader::Cache texts;
};

IndexTextCursor::IndexTextCursor(const IndexReader& index)
    : index_(index), numbering_(index.state_->numbering()), walk_(std::make_unique<Walk>()) {}

IndexTextCursor::~IndexTextCursor() { index_.state_->release_pages(); }

void IndexTextCursor::begin_document() {
  in_document_ = true;
  left_ = 0;
  if (numbering_.is_dropped(next_source_)) return;
  if (next_kept_ % kDocumentGroup == 0) {
    if (walk_->group) walk_->group->next();  // checks its end
    walk_->group.emplace(*index_.state_->documents, next_kept_ / kDocumentGroup);
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
  const BlockStreamReader& texts = index_.state_->documents->text();
  piece_ = {};
  if (left_ != 0) {
    texts.load(offset_ / kTextBlockBytes, walk_->texts);
    const std::uint64_t at = offset_ % kTextBlockBytes;
    const std::uint64_t bytes = std::min<std::uint64_t>(left_, walk_->texts.raw.size() - at);
    piece_.bytes = {reinterpret_cast<const char*>(walk_->texts.raw.data()) + at, static_cast<std::size_t>(bytes)};
    offset_ += bytes;
    left_ -= bytes;
  }
  if (left_ == 0) {
    piece_.ends_document = true;
    in_document_ = false;
    ++next_source_;
  }
  return true;
}

}  // namespace spillway
