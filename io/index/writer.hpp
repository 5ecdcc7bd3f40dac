// Writes an index directory: the one ordered writer of design decision 6. Whatever depends on a running ordinal or
// offset (front-coding, page borders, groups of stored bytes) is laid out here, so that the bytes do not depend on how
// the work was divided. docs/formats.md has the files byte by byte.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/checksum/content_checksum.hpp"
#include "io/file/file_system.hpp"
#include "io/format/content_options.hpp"
#include "io/format/cursors.hpp"
#include "io/postings/list_encoder.hpp"

namespace spillway {

// Figures of the whole index that its writer cannot count itself.
struct IndexTotals {
  std::uint64_t source_document_count = 0;  // of the input, dropped ones included
  ContentChecksum source_sum;   // of the input, as taken at parse time, dropped documents included; source numbering
  ContentChecksum dropped_sum;  // the share of the dropped documents in it
};

// The three streams (documents, id order, lists) may come in any interleaving, each in its own order, from different
// threads (no two threads in the same stream at once). Destruction without finish() leaves an incomplete directory that
// no reader opens.
class IndexWriter {
 public:
  // Creates `directory` (must not exist).
  IndexWriter(FileSystem& files, const std::string& directory, const ContentOptions& options);
  ~IndexWriter();
  IndexWriter(const IndexWriter&) = delete;
  IndexWriter& operator=(const IndexWriter&) = delete;

  // Stored fields and texts are compressed on so many threads more (helper_bytes() each), with the same bytes, until
  // end_document_helpers(), which appends what waits. For the thread of the documents.
  void start_document_helpers(unsigned count);
  void end_document_helpers();
  // Lists are hashed and written by two threads of their own, as positions are (list_helper_bytes() of memory), with
  // the same bytes, until end_list_helpers(), which waits for them. For the thread of the lists. Of batches that hold
  // more than `most_owned` bytes everything is copied.
  void start_list_helpers(std::size_t most_owned = 0);
  void end_list_helpers();
  // A piece of the text of the next document, before it is appended.
  void append_text(std::string_view piece);
  // The next document (numbers are given in this order, from 0; at most 2^31 - 1, else UsageError). Its fields are
  // stored as they come; the caller has applied the store policy.
  void append_document(const RunDocument& document);
  // The next document of the source order that is dropped: its number in the source, ascending.
  void append_dropped(std::uint32_t source_document);
  // The next entry of the list of documents with stored ids, ordered by (id bytes, number).
  void append_id_order(std::uint32_t document);
  // The next encoded lists, in term order (checked). With an owner, most bytes are read from the batch later on, while
  // helpers are at work: it stays as it is until `owner` and its copies are gone.
  void append_lists(const ListBatch& batch, const std::shared_ptr<const void>& owner = {});
  // Writes what is left and the last file (hashes of all others), syncs every file and the directory.
  // Throws FormatError if streams disagree (id count, number of terms...).
  void finish(const IndexTotals& totals);

  std::uint64_t bytes_written() const;
  std::uint64_t term_count() const;   // appended so far
  static std::size_t memory_bytes();  // what it holds in buffers, at most, without helpers
  static std::size_t helper_bytes();
  static std::size_t list_helper_bytes(const ContentOptions& options, std::size_t most_owned = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spillway
