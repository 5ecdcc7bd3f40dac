#include "io/docstore/writer.hpp"

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"

namespace spillway {

DocumentSectionsWriter::DocumentSectionsWriter(const Sections& sections)
    : sections_(sections),
      compressor_(kTextBlockBytes),
      fields_(compressor_, sections.fields, sections.field_blocks, kFieldBlockBytes),
      text_(compressor_, sections.text, sections.text_blocks, kTextBlockBytes) {}

std::size_t DocumentSectionsWriter::memory_bytes() {
  return BlockCompressor::memory_bytes(kTextBlockBytes) + 2 * kTextBlockBytes;  // the open blocks of both streams
}

void DocumentSectionsWriter::append_group_entry() {
  sections_.groups.append_integer(sections_.documents.size());
  sections_.groups.append_integer(sections_.ids.size());
  sections_.groups.append_integer(fields_.raw_size());
  sections_.groups.append_integer(text_.raw_size());
}

void DocumentSectionsWriter::refuse_more() {
  throw UsageError("an index holds at most 2147483647 documents: make several with --part");
}

void DocumentSectionsWriter::start_group() {
  append_group_entry();
  group_started_ = true;
  group_stored_ = false;
  last_id_.clear();
}

void DocumentSectionsWriter::append_stored(const RunDocument& document) {
  if ((document.fields & ~RunDocument::kIndexFields) != 0)
    throw FormatError("a document with fields that an index does not have");
  if (!group_stored_) {
    group_stored_ = true;
    for (std::uint64_t i = document_count_ % kDocumentGroup; i != 0; --i) {
      sections_.documents.append_integer(std::uint8_t{0});
    }
  }
  const bool has_text = (document.fields & RunDocument::kText) != 0 || text_bytes_ != 0;
  sections_.documents.append_integer(
      static_cast<std::uint8_t>(document.fields | (has_text ? RunDocument::kText : std::uint8_t{0})));
  if ((document.fields & RunDocument::kId) != 0) append_id(document.id);
  const auto append_field = [&](std::uint8_t field, std::string_view text, BlockStreamWriter& to) {
    if ((document.fields & field) == 0) return;
    sections_.documents.append_varint(text.size());
    to.append(text);
  };
  append_field(RunDocument::kTitle, document.title, fields_);
  append_field(RunDocument::kUrl, document.url, fields_);
  append_field(RunDocument::kDate, document.date, fields_);
  if (!has_text) return;
  sections_.documents.append_varint(text_bytes_ + document.text.size());
  text_.append(document.text);
  text_bytes_ = 0;
}

void DocumentSectionsWriter::append_id(std::string_view id) {
  const std::size_t shared = shared_bytes(id, last_id_);
  sections_.ids.append_varint(shared);
  sections_.ids.append_varint(id.size() - shared);
  sections_.ids.append(bytes_of(id.substr(shared)));
  last_id_ = id;
  ++stored_ids_;
}

void DocumentSectionsWriter::finish() {
  append_group_entry();
  fields_.finish();
  text_.finish();
}

}  // namespace spillway
