// `text`: a whole file or stream is one document, unless it is empty.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "corpora/document/record_source.hpp"
#include "corpora/document/sink.hpp"

namespace spillway {

// A NUL in so many first bytes means that this is no text.
inline constexpr std::size_t kBinarySniffBytes = std::size_t{64} << 10;

inline bool looks_binary(std::string_view head) { return head.find('\0') != std::string_view::npos; }
inline constexpr std::string_view kBinaryDetail = "expected text, found a NUL byte in the first 64 KiB";

// One document of `fields` (all but `repaired`) whose text is the record, repaired.
void emit_plain_text(RecordSource& record, DocumentFields fields, const RecordPlace& place, std::span<char> scratch,
                     DocumentSink& sink);

// A file as a document: without its byte order mark; skipped if it is binary or too long.
class TextParser {
 public:
  // `scratch`: at least 64 bytes, for repaired text.
  TextParser(std::uint64_t max_document_bytes, std::span<char> scratch)
      : max_document_bytes_(max_document_bytes), scratch_(scratch) {}
  // `id` may be any bytes.
  void parse(RecordSource& record, std::string_view id, std::string_view path, DocumentSink& sink);

 private:
  std::uint64_t max_document_bytes_;
  std::span<char> scratch_;
};

}  // namespace spillway
