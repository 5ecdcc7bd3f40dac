// Records of one format into documents. One parser per thread; its memory is handed in.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "corpora/document/record_source.hpp"
#include "corpora/document/sink.hpp"

namespace spillway {

class RecordParser {
 public:
  virtual ~RecordParser() = default;
  // Whole records: `block` starts at a record and ends with a newline or with the input; `place` is where. Behind it a
  // newline and kJsonPadding readable bytes.
  virtual void parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) = 0;
  // One record that is too long for memory, without its newline.
  virtual void parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) = 0;
};

}  // namespace spillway
