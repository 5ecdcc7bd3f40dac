#include "corpora/document/sink.hpp"

#include <array>
#include <stdexcept>

namespace spillway {

void DocumentSink::words(std::string_view, std::size_t) { throw std::logic_error("this sink takes no packed words"); }

std::string_view skip_reason_name(SkipReason reason) {
  static constexpr std::array<std::string_view, static_cast<std::size_t>(SkipReason::kCount)> kNames{
      "bad_json",
      "missing_id",
      "missing_text",
      "bad_field",
      "id_too_long",
      "document_too_long",
      "binary",
      "gzip_truncated",
      "gzip_corrupt",
      "trailing_garbage",
      "zstd_truncated",
      "zstd_corrupt",
      "zip_corrupt",
      "record_cut",
      "document_truncated",
      "outside_document",
      "bad_columns",
      "duplicate_id",
      "record_type",
      "duplicate_url",
      "duplicate_text",
      "revisit",
      "revisit_target_not_found",
      "revisit_target_skipped",
      "before_since",
      "http_status",
      "media_type",
      "empty_page",
      "known_id",
      "bad_record_header",
      "bad_record_length",
      "record_truncated",
      "outside_record",
      "content_coding"};
  return kNames[static_cast<std::size_t>(reason)];
}

bool is_unasked(SkipReason reason) { return reason >= SkipReason::kRecordType && reason <= SkipReason::kKnownId; }

}  // namespace spillway
