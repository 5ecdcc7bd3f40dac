// The stored documents of an index, apart from their lengths: ids, fields and text. Documents form groups of 64. A
// table holds the place of each group in four streams:
//   documents  per document u8 presence bits, then a varint length for each present title, url, date and text;
//              nothing for a group in which no document has any field or id
//   ids        front-coded within the group
//   fields     titles, urls and dates, concatenated (io/docstore/block_stream.hpp)
//   text       texts, concatenated (io/docstore/block_stream.hpp)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/docstore/block_stream.hpp"
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
  void append_text(std::string_view fragment) {
    if (document_count_ % kDocumentGroup == 0 && !group_started_) start_group();
    text_.append(fragment);
    text_bytes_ += fragment.size();
  }
  // Appends the next document; document.text follows the fragments of its text. Throws UsageError beyond 2^31 - 1
  // documents.
  void append(const RunDocument& document) {
    if (document_count_ >= kMaxIndexDocuments) refuse_more();
    if (document_count_ % kDocumentGroup == 0 && !group_started_) start_group();
    group_started_ = false;
    sections_.lengths.append_integer(document.length);
    length_sum_ += document.length;
    if (document.fields != 0 || text_bytes_ != 0 || group_stored_) append_stored(document);
    ++document_count_;
  }
  void finish();

  // Starts up to `count` threads that compress blocks of fields and texts until end_helpers().
  void start_helpers(unsigned count) { compressor_.start_helpers(count); }
  void end_helpers() { compressor_.finish(); }
  static std::size_t helper_bytes() { return BlockCompressor::helper_bytes(kTextBlockBytes); }

  std::uint64_t document_count() const { return document_count_; }
  std::uint64_t stored_ids() const { return stored_ids_; }
  std::uint64_t length_sum() const { return length_sum_; }
  static std::size_t memory_bytes();

 private:
  [[noreturn]] static void refuse_more();
  void start_group();
  void append_stored(const RunDocument& document);
  void append_id(std::string_view id);
  void append_group_entry();

  Sections sections_;
  BlockCompressor compressor_;
  BlockStreamWriter fields_, text_;
  std::uint64_t document_count_ = 0, stored_ids_ = 0, length_sum_ = 0;
  bool group_stored_ = false;     // a document of the open group has metadata
  bool group_started_ = false;    // by the text of the next document, whose entry was not added yet
  std::uint64_t text_bytes_ = 0;  // of the next document's text, so far
  std::string last_id_;           // of this group
};

}  // namespace spillway
