// Hands out a record as a document once it is known where its fields stand: the last step of all readers that go over a
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
  // Writes the unescaped, repaired value of a name (an index of the table; kNoName: nothing).
  using Send = std::function<void(std::size_t name, TextOutput& out)>;

  // `scratch`: at least 64 bytes, in which pieces of text are joined.
  explicit FieldedDocument(std::span<char> scratch);

  // Calls begin, text and end of the sink. Requires: judge_fields() has nothing against the record.
  void emit(const ChosenFields& chosen, std::span<const JsonValue> values, bool repaired, const SourcePlace& place,
            const Send& send, DocumentSink& sink);
  static std::size_t memory_bytes();

 private:
  std::string_view field_text(const Send& send, std::size_t name, std::size_t slot);

  std::span<char> scratch_;
  std::vector<char> fields_;  // id, title, url and date
};

}  // namespace spillway
