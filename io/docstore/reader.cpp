#include "io/docstore/reader.hpp"

#include <algorithm>

#include "io/base/byte_order.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

// Checks and returns the entry after the last group: the sizes of the four streams.
DocumentSectionsReader::GroupEntry check_totals(const DocumentSectionsReader::Sections& sections,
                                                std::uint64_t document_count) {
  const std::uint64_t groups = (document_count + kDocumentGroup - 1) / kDocumentGroup;
  if (sections.groups.size() != (groups + 1) * kGroupEntryBytes) {
    sections.groups.fail(sections.groups.size(), "entries of " + std::to_string(groups) + " groups and of the end",
                         std::to_string(sections.groups.size()) + " bytes");
  }
  const std::uint8_t* entry = sections.groups.at(groups * kGroupEntryBytes, kGroupEntryBytes);
  const DocumentSectionsReader::GroupEntry totals{load_le<std::uint64_t>(entry), load_le<std::uint64_t>(entry + 8),
                                                  load_le<std::uint64_t>(entry + 16),
                                                  load_le<std::uint64_t>(entry + 24)};
  if (totals.documents != sections.documents.size() || totals.ids != sections.ids.size()) {
    sections.groups.fail(groups * kGroupEntryBytes, "the sizes of documents and ids", "other values");
  }
  return totals;
}

}  // namespace

DocumentSectionsReader::DocumentSectionsReader(const Sections& sections, std::uint64_t document_count)
    : sections_(sections),
      document_count_(document_count),
      fields_(sections.fields, sections.field_blocks, kFieldBlockBytes, check_totals(sections, document_count).fields),
      text_(sections.text, sections.text_blocks, kTextBlockBytes, check_totals(sections, document_count).text) {}

DocumentSectionsReader::GroupEntry DocumentSectionsReader::group_entry(std::uint64_t group) const {
  const std::uint8_t* entry = sections_.groups.at(group * kGroupEntryBytes, kGroupEntryBytes);
  return {load_le<std::uint64_t>(entry), load_le<std::uint64_t>(entry + 8), load_le<std::uint64_t>(entry + 16),
          load_le<std::uint64_t>(entry + 24)};
}

DocumentSectionsReader::GroupWalk::GroupWalk(const DocumentSectionsReader& reader, std::uint64_t group)
    : reader_(reader), begin_(reader.group_entry(group)), end_(reader.group_entry(group + 1)) {
  if (begin_.documents > end_.documents || begin_.ids > end_.ids || begin_.fields > end_.fields ||
      begin_.text > end_.text || end_.fields > reader.fields_.raw_size() || end_.text > reader.text_.raw_size()) {
    reader.sections_.groups.fail(group * kGroupEntryBytes, "ascending offsets inside the streams", "other values");
  }
  at_ = reader.sections_.documents.at(begin_.documents, end_.documents - begin_.documents);
  at_end_ = at_ + (end_.documents - begin_.documents);
  id_at_ = reader.sections_.ids.at(begin_.ids, end_.ids - begin_.ids);
  id_end_ = id_at_ + (end_.ids - begin_.ids);
  documents_left_ = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(kDocumentGroup, reader.document_count_ - group * kDocumentGroup));
  stored_ = at_ != at_end_;
  next_field_ = begin_.fields;
  next_text_ = begin_.text;
}

void DocumentSectionsReader::GroupWalk::fail(std::string_view expected, std::string_view found) const {
  reader_.sections_.documents.fail(end_.documents - static_cast<std::uint64_t>(at_end_ - at_), expected, found);
}

std::uint64_t DocumentSectionsReader::GroupWalk::read_length(std::uint64_t left) {
  std::uint64_t bytes = 0;
  if (!read_varint(&at_, at_end_, &bytes) || bytes > left) fail("a length inside the group's bytes", "more");
  return bytes;
}

bool DocumentSectionsReader::GroupWalk::next() {
  if (documents_left_ == 0) {
    if (at_ != at_end_ || id_at_ != id_end_ || next_field_ != end_.fields || next_text_ != end_.text) {
      fail("the end of the group in all streams", "more bytes");
    }
    return false;
  }
  --documents_left_;
  place_ = {};
  place_.field_offset = next_field_;
  place_.text_offset = next_text_;
  if (!stored_) return true;
  if (at_ == at_end_) fail("a document", "the end of the group");
  place_.fields = *at_++;
  if ((place_.fields & ~RunDocument::kIndexFields) != 0) fail("known fields", std::to_string(place_.fields));
  if ((place_.fields & RunDocument::kId) != 0) read_id();
  const auto length = [&](std::uint8_t field, std::uint64_t& next, std::uint64_t end) {
    const std::uint64_t bytes = (place_.fields & field) != 0 ? read_length(end - next) : 0;
    next += bytes;
    return bytes;
  };
  place_.title_bytes = length(RunDocument::kTitle, next_field_, end_.fields);
  place_.url_bytes = length(RunDocument::kUrl, next_field_, end_.fields);
  place_.date_bytes = length(RunDocument::kDate, next_field_, end_.fields);
  place_.text_bytes = length(RunDocument::kText, next_text_, end_.text);
  return true;
}

void DocumentSectionsReader::GroupWalk::read_id() {
  std::uint64_t shared = 0, suffix = 0;
  if (!read_varint(&id_at_, id_end_, &shared) || !read_varint(&id_at_, id_end_, &suffix) || shared > id_.size() ||
      suffix > static_cast<std::uint64_t>(id_end_ - id_at_)) {
    reader_.sections_.ids.fail(end_.ids - static_cast<std::uint64_t>(id_end_ - id_at_), "an id inside its group",
                               "other lengths");
  }
  id_.resize(shared);
  id_.append(reinterpret_cast<const char*>(id_at_), suffix);
  id_at_ += suffix;
}

bool DocumentSectionsReader::stored_id(std::uint32_t document, std::string& id) const {
  GroupWalk walk(*this, document / kDocumentGroup);
  for (std::uint32_t i = 0; i <= document % kDocumentGroup; ++i) walk.next();
  if ((walk.place().fields & RunDocument::kId) == 0) return false;
  id = walk.id();
  return true;
}

void DocumentSectionsReader::read_fields(const Place& place, StoredDocument& to,
                                         BlockStreamReader::Cache& cache) const {
  to.fields = place.fields;
  to.title = fields_.read(place.field_offset, place.title_bytes, cache);
  to.url = fields_.read(place.field_offset + place.title_bytes, place.url_bytes, cache);
  to.date = fields_.read(place.field_offset + place.title_bytes + place.url_bytes, place.date_bytes, cache);
}

std::string DocumentSectionsReader::read_text(const Place& place, BlockStreamReader::Cache& cache) const {
  return text_.read(place.text_offset, place.text_bytes, cache);
}

}  // namespace spillway
