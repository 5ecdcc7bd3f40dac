// One task of a corpus: what CorpusReader hands to a TaskParser.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "corpora/archive/piece.hpp"
#include "corpora/arrow/rows_parser.hpp"
#include "corpora/reader/plan.hpp"
#include "corpora/unpack/unpack_buffers.hpp"
#include "corpora/unpack/unpacking_stream.hpp"
#include "io/scratch/temp_space.hpp"

namespace spillway {

// The records that start in [begin, end) of a plain file of any format but text.
struct PlainRange {
  std::shared_ptr<const CorpusFile> file;
  std::shared_ptr<ReadableFile> bytes;
  std::uint64_t begin = 0, end = 0;
};

// `count` plain files: one document each, or small ones of any format. A task for each would make chunks that are much
// smaller than a page of memory.
struct PlainFiles {
  FileTable::Cursor first;
  std::size_t count = 0;
};

// A record of a WARC or a member of a tar file, or what stands in its place.
struct ArchiveRecord {
  ArchivePiece piece;
  std::uint64_t unpacked_offset = 0;
  // In the buffer: all of the record, or only its header if the block is not needed.
  std::size_t begin = 0, bytes = 0;
};

// Whole records of a compressed file or stream, and the fault of the container that follows them.
struct UnpackedRecords {
  std::shared_ptr<const CorpusFile> file;
  CorpusFormat format = CorpusFormat::kText;
  std::shared_ptr<Buffer> buffer;
  std::size_t bytes = 0;                // in the buffer
  std::size_t skipped_bytes = 0;        // of them at the start of the buffer, which are done already; not of archives
  std::uint64_t unpacked_offset = 0;    // of the buffer's first byte
  std::vector<ArchiveRecord> archived;  // archives: the records in the buffer; of a spooled record, that one
  // If the buffer has no bytes, the task is one record that is too long for a buffer, without its newline.
  std::unique_ptr<TempFile> spooled;    // nullptr: the record is longer than what is spooled
  std::uint64_t spooled_bytes = 0;      // length of that record
  std::uint64_t end_offset = 0;         // unpacked offset after the records
  std::uint64_t base_offset = 0;        // what InputPosition::offset adds: the archives before this one in a WACZ
  std::optional<ContainerFault> fault;  // after the records
  bool ends_input = false;
  std::uint64_t stored_bytes = 0;  // read from the input since the previous task
};

// Rows of an Arrow stream, of one batch or of several small ones.
struct ArrowTask {
  std::vector<ArrowRows> rows;
};

struct CorpusTask {
  std::uint64_t number = 0;  // in input order, without gaps
  std::variant<PlainRange, PlainFiles, UnpackedRecords, ArrowTask> work;
  InputPosition end;  // after the task
};

}  // namespace spillway
