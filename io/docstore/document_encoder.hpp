// Encodes the documents of an index, in groups of kDocumentGroup: lengths, fields, front-coded ids, and for each group
// where it begins. The bytes go to the sections of an index, or to memory (EncodedDocuments).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "io/format/cursors.hpp"
#include "io/format/index.hpp"

namespace spillway {

// Bytes: append(span), append_integer(), append_varint() and size(), as SectionWriter. Stream: append(string_view) and
// raw_size(), as BlockStreamWriter. Not thread-safe.
template <typename Bytes, typename Stream>
class DocumentEncoder {
 public:
  struct Output {
    Bytes &lengths, &documents, &groups, &ids;
    Stream &fields, &text;
  };
  // The objects that `out` refers to live longer.
  explicit DocumentEncoder(const Output& out) : out_(out) {}

  // Appends a fragment of the text of the next document, before append() of that document.
  void append_text(std::string_view fragment) {
    if (begins_group()) start_group();
    out_.text.append(fragment);
    text_bytes_ += fragment.size();
  }
  // Appends the next document; document.text follows the fragments of its text. Throws FormatError for fields that an
  // index does not have.
  void append(const RunDocument& document) {
    if (begins_group()) start_group();
    group_started_ = false;
    out_.lengths.append_integer(document.length);
    length_sum_ += document.length;
    if (document.fields != 0 || text_bytes_ != 0 || group_stored_) append_stored(document);
    ++document_count_;
  }
  // Appends the entry that begins a group; also after the last document.
  void append_group_entry() {
    out_.groups.append_integer(static_cast<std::uint64_t>(out_.documents.size()));
    out_.groups.append_integer(static_cast<std::uint64_t>(out_.ids.size()));
    out_.groups.append_integer(static_cast<std::uint64_t>(out_.fields.raw_size()));
    out_.groups.append_integer(static_cast<std::uint64_t>(out_.text.raw_size()));
  }
  static constexpr std::size_t kGroupNumbers = 4;  // that append_group_entry() appends

  // Counts documents that went to the same output otherwise. Requires: is_between_groups(), and whole groups.
  void count_appended(std::uint64_t documents, std::uint64_t ids, std::uint64_t lengths) {
    document_count_ += documents;
    stored_ids_ += ids;
    length_sum_ += lengths;
  }

  bool is_between_groups() const { return document_count_ % kDocumentGroup == 0 && !group_started_; }
  std::uint64_t document_count() const { return document_count_; }
  std::uint64_t stored_ids() const { return stored_ids_; }
  std::uint64_t length_sum() const { return length_sum_; }

 private:
  bool begins_group() const { return is_between_groups(); }

  void start_group() {
    append_group_entry();
    group_started_ = true;
    group_stored_ = false;
    last_id_.clear();
  }

  void append_stored(const RunDocument& document) {
    if ((document.fields & ~RunDocument::kIndexFields) != 0)
      throw FormatError("a document with fields that an index does not have");
    if (!group_stored_) {
      group_stored_ = true;
      for (std::uint64_t i = document_count_ % kDocumentGroup; i != 0; --i) {
        out_.documents.append_integer(std::uint8_t{0});
      }
    }
    const bool has_text = (document.fields & RunDocument::kText) != 0 || text_bytes_ != 0;
    out_.documents.append_integer(
        static_cast<std::uint8_t>(document.fields | (has_text ? RunDocument::kText : std::uint8_t{0})));
    if ((document.fields & RunDocument::kId) != 0) append_id(document.id);
    const auto append_field = [&](std::uint8_t field, std::string_view text) {
      if ((document.fields & field) == 0) return;
      out_.documents.append_varint(text.size());
      out_.fields.append(text);
    };
    append_field(RunDocument::kTitle, document.title);
    append_field(RunDocument::kUrl, document.url);
    append_field(RunDocument::kDate, document.date);
    if (!has_text) return;
    out_.documents.append_varint(text_bytes_ + document.text.size());
    out_.text.append(document.text);
    text_bytes_ = 0;
  }

  void append_id(std::string_view id) {
    const std::size_t shared = shared_bytes(id, last_id_);
    out_.ids.append_varint(shared);
    out_.ids.append_varint(id.size() - shared);
    out_.ids.append(bytes_of(id.substr(shared)));
    last_id_ = id;
    ++stored_ids_;
  }

  Output out_;
  std::uint64_t document_count_ = 0, stored_ids_ = 0, length_sum_ = 0;
  bool group_stored_ = false;     // a document of the open group has metadata
  bool group_started_ = false;    // by the text of the next document, whose entry was not added yet
  std::uint64_t text_bytes_ = 0;  // of the next document's text, so far
  std::string last_id_;           // of this group
};

}  // namespace spillway
