// `html`: a whole file is a page, and its text the document, unless the file is empty.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "corpora/document/record_source.hpp"
#include "corpora/records/page_reader.hpp"

namespace spillway {

class PageParser {
 public:
  // `scratch`: at least 64 bytes; a text that fits is decoded once only.
  PageParser(std::uint64_t max_document_bytes, std::span<char> scratch)
      : max_document_bytes_(max_document_bytes), reader_(scratch) {}
  static std::size_t memory_bytes() { return PageReader::memory_bytes(); }

  // Hands out a page. Skips files that are binary or too long. `id` need not be valid UTF-8.
  void parse(RecordSource& record, std::string_view id, std::string_view path, DocumentSink& sink);

 private:
  const std::uint64_t max_document_bytes_;
  PageReader reader_;
};

}  // namespace spillway
