#include "merge/input/text_join.hpp"

#include "io/base/error.hpp"

namespace spillway {

// nullptr: the end of all inputs.
const TextFragment* TextJoiner::next_piece() {
  for (; input_ < inputs_.size(); ++input_, cursor_.reset()) {
    if (cursor_ == nullptr) cursor_ = inputs_[input_]->texts();
    if (cursor_->next()) return &cursor_->fragment();
  }
  return nullptr;
}

void TextJoiner::next_document(const std::function<void(std::string_view)>& take) {
  if (!inputs_.front()->identity().has_texts) return;
  for (;;) {
    const TextFragment* const piece = next_piece();
    if (piece == nullptr) {
      throw FormatError(
          inputs_.back()->name() +
          ": expected a text for each document, found the end of the texts: make it again from its input");
    }
    take(piece->bytes);
    if (piece->ends_document) return;
  }
}

void TextJoiner::finish() {
  if (!inputs_.front()->identity().has_texts || next_piece() == nullptr) return;
  throw FormatError(inputs_[input_]->name() +
                    ": expected no more texts than documents, found more: make it again from its input");
}

}  // namespace spillway
