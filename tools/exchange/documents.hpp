// The documents of an index, in order, as exports write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/index/cursors.hpp"

namespace spillway {

enum class ExportTexts { kSkip, kRead };

// Walks the documents that the index holds. Not thread-safe. The index outlives it.
class ExportedDocuments {
 public:
  explicit ExportedDocuments(const IndexReader& index, ExportTexts texts = ExportTexts::kSkip);

  // Moves to the next document; false after the last.
  bool next();
  std::uint64_t number() const { return next_number_ - 1; }  // from 0
  // The external id: the stored one, or the number + 1. Lives until the next call of next().
  const std::string& id() const { return id_; }
  const RunDocument& document() const { return cursor_.document(); }
  // The next fragment of the document's text, which lives until the next call; nothing after the last. Requires kRead.
  std::optional<std::string_view> next_text();

 private:
  IndexDocumentCursor cursor_;
  std::optional<IndexTextCursor> texts_;
  bool text_is_open_ = false;
  std::uint64_t next_number_ = 0;
  std::string id_;
};

// Throws UsageError for the id of document `number` that is not UTF-8 or holds one of the `separators`. `format` names
// what cannot hold it.
void check_exported_id(std::uint64_t number, const std::string& id, std::string_view separators,
                       std::string_view format);

}  // namespace spillway
