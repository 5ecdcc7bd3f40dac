// The formats without markup. `text`: a whole file or stream is one document, unless it is empty. `lines`: every line
// is a document, including empty ones; its id is computed from its number.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "corpora/records/parser.hpp"

namespace spillway {

// A NUL byte among the first kBinarySniffBytes means that a file is not text.
inline constexpr std::size_t kBinarySniffBytes = std::size_t{64} << 10;

inline bool looks_binary(std::string_view head) { return head.find('\0') != std::string_view::npos; }
inline constexpr std::string_view kBinaryDetail = "expected text, found a NUL byte in the first 64 KiB";

// Hands out a file as a document, without its byte order mark. Skips files that are binary or too long.
class TextParser {
 public:
  // `scratch`: at least 64 bytes, for repaired text.
  TextParser(std::uint64_t max_document_bytes, std::span<char> scratch)
      : max_document_bytes_(max_document_bytes), scratch_(scratch) {}
  // `id` need not be valid UTF-8.
  void parse(RecordSource& record, std::string_view id, std::string_view path, DocumentSink& sink);

 private:
  std::uint64_t max_document_bytes_;
  std::span<char> scratch_;
};

class LineParser final : public RecordParser {
 public:
  // `scratch`: at least 64 bytes, for repaired text.
  LineParser(std::uint64_t max_document_bytes, std::span<char> scratch)
      : max_document_bytes_(max_document_bytes), scratch_(scratch) {}

  void parse_block(std::string_view block, const RecordPlace& place, DocumentSink& sink) override;
  // The record is without the CR that belongs to its newline.
  void parse_long(RecordSource& record, const RecordPlace& place, DocumentSink& sink) override;

 private:
  std::uint64_t max_document_bytes_;
  std::span<char> scratch_;
};

}  // namespace spillway
