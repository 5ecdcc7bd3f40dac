// The receiver of documents: parsers hand it every document in fragments, and the reason for every record that they
// skip. One sink per parsing thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

// Why a record was not indexed. The names (skip_reason_name) are part of the format of reports.
enum class SkipReason : std::uint8_t {
  kBadJson,  // not a JSON object, or deeper than 64
  kMissingId,
  kMissingText,      // neither title nor text
  kBadField,         // a field of a type that it must not have
  kIdTooLong,        // above 65535 bytes
  kDocumentTooLong,  // above --max-document-bytes
  kBinary,           // NUL bytes in a text file
  kGzipTruncated,
  kGzipCorrupt,      // wrong CRC, size or codes
  kTrailingGarbage,  // bytes after the last gzip member or zstd frame
  kZstdTruncated,
  kZstdCorrupt,
  kZipCorrupt,
  kRecordCut,          // the rest of a record whose start was lost in a corrupt member or frame
  kDocumentTruncated,  // trec: the input ends inside a document
  kOutsideDocument,    // trec: text outside of all documents
  kBadColumns,         // tsv: a wrong number of columns, or a NUL byte
  kDuplicateId,        // found after ingest
  // Crawls: records that were not asked for.
  kRecordType,    // of a type other than --warc-types
  kDuplicateUrl,  // found after ingest
  kDuplicateText,
  kRevisit,                // a page that had not changed
  kRevisitTargetNotFound,  // --revisits follow: the record that it refers to is not in the input
  kRevisitTargetSkipped,   // ... makes no document
  kBeforeSince,            // older than --since
  kHttpStatus,
  kMediaType,  // neither HTML nor plain text
  kEmptyPage,
  kKnownId,  // append --skip-known: the index has a document with the id
  // Crawls: damage.
  kBadRecordHeader,
  kBadRecordLength,  // missing, or not where the next record begins
  kRecordTruncated,
  kOutsideRecord,
  kContentCoding,  // of a kind that cannot be undone
  kCount
};
std::string_view skip_reason_name(SkipReason reason);  // "bad_json", "missing_id", ...

// A place in the input: a file (as given or found) and a byte offset in it, after unpacking if it is compressed.
struct SourcePlace {
  std::string_view path;
  std::uint64_t offset = 0;
  std::string_view id = {}, url = {};  // of a skipped record, as far as they are known
};
// Whether records are skipped for this reason because nobody asked for them. They do not count as errors.
bool is_unasked(SkipReason reason);

// The fields of a document except its text, as valid UTF-8. The views are valid during begin().
struct DocumentFields {
  std::string_view id;  // empty: computed from the document's number
  std::string_view title, url, date;
  bool has_title = false, has_url = false, has_date = false;
  // Broken UTF-8 or lone surrogates in the record were replaced by U+FFFD, or a missing </DOC> was added.
  bool repaired = false;
  bool title_in_text = false;  // the title is too long for a field and starts the text instead
};

// A part of a JSON string whose words were packed.
struct PackedPart {
  const char* next = nullptr;  // after the part, which ends between words; null: refused
  char* out = nullptr;         // after the packed words
  std::size_t count = 0;       // words
  bool ends_string = false;    // then `next` is after the closing quote
};
inline constexpr std::size_t kMostPartBytes = 1024;

// Packs the words of the next part of a JSON string, at most kMostPartBytes of it, in the form in which a sink keeps
// them. May refuse any part, and then may have written to `out`; refuses what is not plain ASCII, and bad JSON.
// Requires: no word and no escape goes on at `in`, and what UnescapeFunction requires.
using PackWordsFunction = PackedPart (*)(const char* in, char* out);

inline constexpr std::size_t kMostPackedBytes = 4096;  // of one call of DocumentSink::words()

// Calls for one document: begin, text (any number of times), end. The fragments together are the text of the document;
// a fragment may end inside a word but not inside a UTF-8 character.
class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  virtual void begin(const DocumentFields& fields, const SourcePlace& place) = 0;
  virtual void text(std::string_view fragment) = 0;
  // If not null, readers of JSON may pass on what the function packs, to words().
  virtual PackWordsFunction word_packer() const { return nullptr; }
  // In place of a fragment of text that begins and ends between words: at most kMostPackedBytes with `count` words.
  virtual void words(std::string_view packed, std::size_t count);
  virtual void end() = 0;
  // A record was skipped, or a compressed container is broken, which counts as one record. `detail` says what was
  // expected and found.
  virtual void skip(SkipReason reason, const SourcePlace& place, std::string_view detail) = 0;
  // Reports progress, between records and inside long ones: input bytes consumed since the last call. May throw to stop
  // the parser.
  virtual void consumed(std::uint64_t input_bytes) = 0;
};

}  // namespace spillway
