// Reads the stored documents of an index (io/docstore/writer.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/docstore/block_stream.hpp"
#include "io/format/cursors.hpp"
#include "io/format/index_types.hpp"
#include "io/section/reader.hpp"

namespace spillway {

// Thread-safe.
class DocumentSectionsReader {
 public:
  struct Sections {
    const SectionReader &documents, &groups, &ids, &fields, &field_blocks, &text, &text_blocks;
  };
  DocumentSectionsReader(const Sections& sections, std::uint64_t document_count);

  // Offsets into the four streams. A group's entry holds its begin; its end is the begin of the next group.
  struct GroupEntry {
    std::uint64_t documents, ids, fields, text;
  };
  GroupEntry group_entry(std::uint64_t group) const;
  std::uint64_t group_count() const { return (document_count_ + kDocumentGroup - 1) / kDocumentGroup; }

  // Where the strings of one document are.
  struct Place {
    std::uint8_t fields = 0;
    std::uint64_t field_offset = 0, title_bytes = 0, url_bytes = 0, date_bytes = 0;
    std::uint64_t text_offset = 0, text_bytes = 0;
  };
  // Walks the documents of a group in order and decodes their ids on the way. O(64) for any document of the group.
  class GroupWalk {
   public:
    GroupWalk(const DocumentSectionsReader& reader, std::uint64_t group);
    // Moves to the next document. Returns false after the last one; throws FormatError if bytes of the group are left
    // then.
    bool next();
    const Place& place() const { return place_; }
    const std::string& id() const { return id_; }  // if place().fields has kId

   private:
    void read_id();
    std::uint64_t read_length(std::uint64_t left);
    [[noreturn]] void fail(std::string_view expected, std::string_view found) const;
    const DocumentSectionsReader& reader_;
    GroupEntry begin_, end_;
    const std::uint8_t *at_, *at_end_, *id_at_, *id_end_;
    std::uint32_t documents_left_;
    bool stored_;
    std::uint64_t next_field_, next_text_;
    Place place_;
    std::string id_;
  };

  // Requires: document < document_count.
  bool stored_id(std::uint32_t document, std::string& id) const;  // false if it has none
  void read_fields(const Place& place, StoredDocument& to, BlockStreamReader::Cache& cache) const;
  std::string read_text(const Place& place, BlockStreamReader::Cache& cache) const;
  const BlockStreamReader& fields() const { return fields_; }
  const BlockStreamReader& text() const { return text_; }

 private:
  Sections sections_;
  std::uint64_t document_count_;
  BlockStreamReader fields_, text_;
};

}  // namespace spillway
