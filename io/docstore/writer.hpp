// The stored documents of an index, apart from their lengths: ids, fields and text. Documents form groups of 64. A
// table holds the place of each group in four streams:
//   documents  per document u8 presence bits, then a varint length for each present title, url, date and text;
//              nothing for a group in which no document has any field or id
//   ids        front-coded within the group
//   fields     titles, urls and dates, concatenated (io/docstore/block_stream.hpp)
//   text       texts, concatenated (io/docstore/block_stream.hpp)
#pragma once

#include <cstdint>
#include <string_view>

#include "io/docstore/block_stream.hpp"
#include "io/docstore/document_encoder.hpp"
#include "io/docstore/encoded_documents.hpp"
#include "io/format/cursors.hpp"
#include "io/section/writer.hpp"

namespace spillway {

// Not thread-safe.
class DocumentSectionsWriter {
 public:
  struct Sections {
    SectionWriter &lengths, &documents, &groups, &ids, &fields, &field_blocks, &text, &text_blocks;
  };
  explicit DocumentSectionsWriter(const Sections& sections);

  // Appends a fragment of the text of the next document, before append() of that document.
  void append_text(std::string_view fragment) { encoder_.append_text(fragment); }
  // Appends the next document; document.text follows the fragments of its text. Throws UsageError beyond 2^31 - 1
  // documents.
  void append(const RunDocument& document) {
    if (document_count() >= kMaxIndexDocuments) refuse_more();
    encoder_.append(document);
  }
  // Appends the next documents, with the same bytes as append() of each. Throws UsageError as append() does. Requires:
  // whole groups, after whole groups (std::logic_error).
  void append(const EncodedDocuments& documents);
  void finish();

  // Starts up to `count` threads that compress blocks of fields and texts until end_helpers().
  void start_helpers(unsigned count) { compressor_.start_helpers(count); }
  void end_helpers() { compressor_.finish(); }
  static std::size_t helper_bytes() { return BlockCompressor::helper_bytes(kTextBlockBytes); }

  std::uint64_t document_count() const { return encoder_.document_count(); }
  std::uint64_t stored_ids() const { return encoder_.stored_ids(); }
  std::uint64_t length_sum() const { return encoder_.length_sum(); }
  static std::size_t memory_bytes();

 private:
  [[noreturn]] static void refuse_more();

  Sections sections_;
  BlockCompressor compressor_;
  BlockStreamWriter fields_, text_;
  DocumentEncoder<SectionWriter, BlockStreamWriter> encoder_;
};

}  // namespace spillway
