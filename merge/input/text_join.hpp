// The texts of a merge's inputs as one stream, beside that of their documents (merge/input/document_join.hpp): the
// pieces of a document that was cut between inputs follow each other.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "merge/input/merge_input.hpp"

namespace spillway {

// Holds the cursor of one input at a time. Not thread-safe. Without texts in the inputs it has none, and no cost.
class TextJoiner {
 public:
  // The inputs live longer.
  explicit TextJoiner(std::span<const MergeInput* const> inputs) : inputs_(inputs) {}

  // Hands the text of the next document to `take`, piece by piece. Throws FormatError where the inputs end before.
  void next_document(const std::function<void(std::string_view)>& take);
  // Behind the last document. Throws FormatError where there is more text.
  void finish();

 private:
  const TextFragment* next_piece();
  std::span<const MergeInput* const> inputs_;
  std::size_t input_ = 0;
  std::unique_ptr<TextCursor> cursor_;  // of inputs_[input_]
};

}  // namespace spillway
