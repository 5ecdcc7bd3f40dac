// What readers hand out: documents, piece by piece, and what was wrong with the others. One sink per parsing thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

// Why a record was not indexed. Names (skip_reason_name) are part of the report's format.
enum class SkipReason : std::uint8_t {
  kBadJson,  // not a JSON object, or deeper than 64
  kMissingId,
  kMissingText,      // neither title nor text
  kBadField,         // a field of a type that it cannot have
  kIdTooLong,        // above 65535 bytes
  kDocumentTooLong,  // above --max-document-bytes
  kBinary,           // NUL bytes in a text file
  kGzipTruncated,
  kGzipCorrupt,      // wrong CRC, size or codes
  kTrailingGarbage,  // bytes behind the last gzip member or zstd frame
  kZstdTruncated,
  kZstdCorrupt,
  kRecordCut,          // the rest of a record whose start was lost with a corrupt member or frame
  kDocumentTruncated,  // trec: the input ends inside a document
  kOutsideDocument,    // trec: text that is in no document
  kBadColumns,         // tsv: not as many columns as there must be, or a NUL byte
  kDuplicateId,        // found after ingest
  kCount
};
std::string_view skip_reason_name(SkipReason reason);  // "bad_json", "missing_id", ...

// Where in the input something is: a file (as given or found) and a byte offset in it (unpacked bytes, for a compressed
// one).
struct SourcePlace {
  std::string_view path;
  std::uint64_t offset = 0;
};

// Fields of a document but its text. Valid UTF-8 (repaired). Views live during begin().
struct DocumentFields {
  std::string_view id;  // empty: computed from the number
  std::string_view title, url, date;
  bool has_title = false, has_url = false, has_date = false;
  // Broken UTF-8 or lone surrogates were replaced by U+FFFD somewhere in the record, or a missing </DOC> was supplied.
  bool repaired = false;
  bool title_in_text = false;  // the title is too long for a field, and is the start of the text
};

// Calls for one document: begin, text (any number of times), end. The text is the concatenation of the pieces; a piece
// may end inside a word but not inside a UTF-8 character.
class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  virtual void begin(const DocumentFields& fields, const SourcePlace& place) = 0;
  virtual void text(std::string_view piece) = 0;
  virtual void end() = 0;
  // A record (or a container: one record) that gives no document. `detail` says what was expected and found.
  virtual void skip(SkipReason reason, const SourcePlace& place, std::string_view detail) = 0;
  // Called between records and inside long ones: progress (input bytes consumed since the last call). May throw to
  // stop.
  virtual void consumed(std::uint64_t input_bytes) = 0;
};

}  // namespace spillway
