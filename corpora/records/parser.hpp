// The interfaces of the parsers, one per format and thread, that turn records into documents.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "corpora/archive/piece.hpp"
#include "corpora/document/record_source.hpp"
#include "corpora/document/sink.hpp"
#include "corpora/revisits/location.hpp"

namespace spillway {

class RecordParser {
 public:
  virtual ~RecordParser() = default;
  // Parses whole records: `block` starts at a record and ends at a newline or with the input. Requires: a newline and
  // kRecordPadding readable bytes after the block.
  virtual void parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) = 0;
  // Parses one record that is too long for memory, without its newline.
  virtual void parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) = 0;
};

class ArchiveParser {
 public:
  virtual ~ArchiveParser() = default;
  // Says where the archive begins whose pieces come next: `origin` and the offsets of their places make their
  // locations.
  virtual void start(const RecordLocation& origin) = 0;
  // Parses the piece of an archive that `record` holds; of a damaged one, as much of the header as there is.
  virtual void parse(const ArchivePiece& piece, RecordSource& record, const SourcePlace& place, DocumentSink& sink) = 0;
  // Reads the header only: cut_record() says at which record a fault of the container is. Valid until the next call.
  virtual void read_header(const ArchivePiece& piece, RecordSource& record) = 0;
  virtual SourcePlace cut_record(const SourcePlace& fault) const = 0;
};

}  // namespace spillway
