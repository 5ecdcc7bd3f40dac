// Writes an index directory. This is the only writer, and it works in order: everything that depends on a running
// ordinal or offset (front-coding, page borders, groups of stored bytes) is laid out here, so the bytes do not depend
// on how the work was divided. docs/formats.md lists the files byte by byte.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/checksum/content_checksum.hpp"
#include "io/docstore/encoded_documents.hpp"
#include "io/file/file_system.hpp"
#include "io/format/content_options.hpp"
#include "io/format/cursors.hpp"
#include "io/postings/list_encoder.hpp"
#include "io/section/writer.hpp"

namespace spillway {

// Totals of the index that its writer cannot count.
struct IndexTotals {
  std::uint64_t source_document_count = 0;  // documents of the input, dropped ones included
  ContentChecksum source_sum;               // of the input, taken at parse time; numbered as in the source
  ContentChecksum dropped_sum;              // the share of the dropped documents
};

// The three streams (documents, id order, lists) may be interleaved and come from different threads; each is in its own
// order, from one thread at a time. Destruction without finish() leaves an incomplete directory that no reader opens.
class IndexWriter {
 public:
  // Creates `directory`, which must not exist.
  IndexWriter(FileSystem& files, const std::string& directory, const ContentOptions& options);
  ~IndexWriter();
  IndexWriter(const IndexWriter&) = delete;
  IndexWriter& operator=(const IndexWriter&) = delete;

  // Reserves space for the files of postings and of positions (WritableFile::reserve). The arguments are their sizes.
  // Returns whether both have it. Requires: no list was appended yet, and none is appended meanwhile.
  bool reserve_lists(std::uint64_t posting_bytes, std::uint64_t position_bytes);

  // Starts up to `count` threads that compress stored fields and texts, and from 7 on some that hash and write, until
  // end_document_helpers(), which appends what they hold; they take document_helper_bytes(). The bytes stay the same.
  // Called by the thread of the documents.
  void start_document_helpers(unsigned count);
  void end_document_helpers();
  // Starts threads that hash and write bounds, postings (`of_each` for each part) and positions (as many more) until
  // end_list_helpers(), which waits for them; they take list_helper_bytes() of memory, with the batches that wait for
  // them. The bytes stay the same. Batches that hold more than `most_owned` bytes are copied. Called by the thread of
  // the lists.
  void start_list_helpers(std::size_t most_owned = 0,
                          SectionWriter::BehindThreads of_each = SectionWriter::BehindThreads::kOne);
  void end_list_helpers();
  // Appends a fragment of the text of the next document, before append_document().
  void append_text(std::string_view fragment);
  // Appends the next document; numbers follow this order, from 0. Throws UsageError beyond 2^31 - 1 documents. Stores
  // all fields given: the caller applies the store policy.
  void append_document(const RunDocument& document);
  // The same for documents that other threads encoded, without texts. Requires: whole groups, after whole groups.
  void append_documents(const EncodedDocuments& documents);
  // Appends the next dropped document: its number in the source. Requires: ascending.
  void append_dropped(std::uint32_t source_document);
  // Appends the next document of those with stored ids, ordered by (id bytes, number).
  void append_id_order(std::uint32_t document);
  // Appends the next encoded lists, in term order (checked). With an owner and helpers, most bytes are read later: the
  // batch must stay unchanged until `owner` and its copies are gone.
  void append_lists(const ListBatch& batch, const std::shared_ptr<const void>& owner = {});
  // Writes the rest and the manifest, and syncs every file and the directory. Throws FormatError if the streams
  // disagree (number of ids, of occurrences, ...).
  void finish(const IndexTotals& totals);

  std::uint64_t bytes_written() const;
  std::uint64_t term_count() const;   // appended so far
  static std::size_t memory_bytes();  // the most bytes in buffers, without helpers
  static std::size_t document_helper_bytes(unsigned count);
  static std::size_t list_helper_bytes(const ContentOptions& options, std::size_t most_owned = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
