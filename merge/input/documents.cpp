#include "merge/input/documents.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include "io/base/error.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway {

void refuse_length(const std::string& where) {
  throw FormatError(where + ": expected a document of fewer than 2^32 tokens, found more over its parts");
}

namespace {

constexpr std::array kStringFields{RunDocument::kId, RunDocument::kTitle, RunDocument::kUrl, RunDocument::kDate,
                                   RunDocument::kTextHash};

}  // namespace

void OpenDocument::add(const RunDocument& part, const std::string& where) {
  if (part.length > std::numeric_limits<std::uint32_t>::max() - length_) refuse_length(where);
  length_ += part.length;
  const std::array views{part.id, part.title, part.url, part.date, part.text_hash};
  static_assert(views.size() == kStringFields.size() && views.size() == std::tuple_size_v<decltype(strings_)>);
  for (std::size_t i = 0; i < views.size(); ++i) {
    if ((fields_ & kStringFields[i]) == 0 && (part.fields & kStringFields[i]) != 0) strings_[i] = views[i];
  }
  text_ += part.text;
  fields_ |= part.fields;
}

RunDocument OpenDocument::document() const {
  RunDocument whole;
  whole.fields = fields_;
  whole.length = length_;
  whole.id = strings_[0];
  whole.title = strings_[1];
  whole.url = strings_[2];
  whole.date = strings_[3];
  whole.text_hash = strings_[4];
  whole.text = text_;
  return whole;
}

void for_each_document(std::span<const MergeInput* const> inputs, const StopCheck& check, const VisitDocument& visit) {
  lay_out_source(inputs);
  std::uint32_t number = 0;
  std::optional<OpenDocument> open;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const MergeInput* const input = inputs[i];
    const std::uint64_t count = input->summary().document_count;
    const bool last_is_cut = input->identity().last_document_open && i + 1 != inputs.size();
    const std::unique_ptr<DocumentCursor> cursor = input->documents();
    std::uint64_t index = 0, tokens = 0;
    for (; cursor->next(); ++index) {
      if (check) check();
      const RunDocument& part = cursor->document();
      tokens += part.length;
      const bool is_cut = last_is_cut && index + 1 == count;
      if (!open && !is_cut) {
        if (visit(number++, part) == ReadStep::kStop) return;
        continue;
      }
      if (!open) open.emplace();
      open->add(part, input->name());
      if (is_cut) continue;
      if (visit(number++, open->document()) == ReadStep::kStop) return;
      open.reset();
    }
    check_documents(*input, index, tokens);
  }
}

// Returns nullptr after the last fragment of all inputs.
const TextFragment* SourceTexts::next_fragment() {
  for (; input_ < inputs_.size(); ++input_, cursor_.reset()) {
    if (cursor_ == nullptr) cursor_ = inputs_[input_]->texts();
    if (cursor_->next()) return &cursor_->fragment();
  }
  return nullptr;
}

void SourceTexts::next_document(const std::function<void(std::string_view)>& take) {
  if (!inputs_.front()->identity().has_texts) return;
  while (const TextFragment* const fragment = next_fragment()) {
    take(fragment->bytes);
    if (fragment->ends_document) return;
  }
  throw FormatError(inputs_.back()->name() +
                    ": expected a text for each document, found the end of the texts: make it again from its input");
}

void SourceTexts::finish() {
  if (!inputs_.front()->identity().has_texts || next_fragment() == nullptr) return;
  throw FormatError(inputs_[input_]->name() +
                    ": expected no more texts than documents, found more: make it again from its input");
}

}  // namespace spillway
