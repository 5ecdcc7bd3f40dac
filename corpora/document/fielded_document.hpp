// Hands out a record as a document once the places of its fields are known: the last step of all parsers that read a
// record twice. A title that is too long for a field becomes the start of the text; a longer url or date is cut.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/document/field_table.hpp"
#include "corpora/document/record_source.hpp"

namespace spillway {

class FieldedDocument {
 public:
  // Writes the unescaped, repaired value of the name with this index; nothing for kNoName.
  using Send = std::function<void(std::size_t name, TextOutput& out)>;

  // `scratch`: at least 64 bytes, to join fragments of text.
  explicit FieldedDocument(std::span<char> scratch);

  // Calls begin, text and end of the sink. Requires: judge_fields() accepted the record.
  void emit(const ChosenFields& chosen, std::span<const FieldValue> values, bool repaired, const SourcePlace& place,
            const Send& send, DocumentSink& sink);
  static std::size_t memory_bytes();

 private:
  std::string_view field_text(const Send& send, std::size_t name, std::size_t slot);

  std::span<char> scratch_;
  std::vector<char> fields_;  // id, title, url and date
};

}  // namespace spillway
