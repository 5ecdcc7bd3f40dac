#include "io/docstore/writer.hpp"

#include <array>
#include <stdexcept>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"

namespace spillway {

DocumentSectionsWriter::DocumentSectionsWriter(const Sections& sections)
    : sections_(sections),
      compressor_(kTextBlockBytes),
      fields_(compressor_, BlockContent::kFields, sections.fields, sections.field_blocks, kFieldBlockBytes),
      text_(compressor_, BlockContent::kText, sections.text, sections.text_blocks, kTextBlockBytes),
      encoder_({sections.lengths, sections.documents, sections.groups, sections.ids, fields_, text_}) {}

std::size_t DocumentSectionsWriter::memory_bytes() {
  return BlockCompressor::memory_bytes(kTextBlockBytes) + 2 * kTextBlockBytes;  // the open blocks of both streams
}

void DocumentSectionsWriter::refuse_more() {
  throw UsageError("an index holds at most 2147483647 documents: make several with --part");
}

void DocumentSectionsWriter::append(const EncodedDocuments& documents) {
  const std::uint64_t count = documents.count();
  if (!encoder_.is_between_groups() || count % kDocumentGroup != 0) {
    throw std::logic_error("DocumentSectionsWriter: documents that are not whole groups");
  }
  if (count > kMaxIndexDocuments - document_count()) refuse_more();
  const std::array<std::uint64_t, 4> bases{sections_.documents.size(), sections_.ids.size(), fields_.raw_size(),
                                           text_.raw_size()};
  static_assert(bases.size() == decltype(encoder_)::kGroupNumbers);
  const std::span<const std::uint8_t> groups = documents.groups_.span();
  for (std::size_t at = 0, i = 0; at != groups.size(); at += sizeof(std::uint64_t), ++i) {
    sections_.groups.append_integer(load_le<std::uint64_t>(groups.data() + at) + bases[i % bases.size()]);
  }
  sections_.lengths.append(documents.lengths_.span());
  sections_.documents.append(documents.documents_.span());
  sections_.ids.append(documents.ids_.span());
  const std::span<const std::uint8_t> fields = documents.fields_.span();
  fields_.append({reinterpret_cast<const char*>(fields.data()), fields.size()});
  encoder_.count_appended(count, documents.encoder_.stored_ids(), documents.encoder_.length_sum());
}

void DocumentSectionsWriter::finish() {
  encoder_.append_group_entry();
  fields_.finish();
  text_.finish();
}

}  // namespace spillway
