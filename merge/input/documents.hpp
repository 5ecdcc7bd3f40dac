// The documents, and the texts, of all inputs of a merge as one stream. The parts of a document that was cut between
// inputs become one document. Memory: one cursor, and the strings of one cut document.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "merge/input/merge_input.hpp"

namespace spillway {

enum class ReadStep { kGoOn, kStop };

// Sees a document with its number in the source. The views live for the call.
using VisitDocument = std::function<ReadStep(std::uint32_t number, const RunDocument& document)>;

// Visits the documents of the source in order until `visit` returns kStop; calls `check` for each. The parts of a cut
// document become one (OpenDocument). A source that begins or ends inside a document gives that document as far as it
// goes. Throws FormatError if the documents of an input that was read to its end do not match its summary.
void for_each_document(std::span<const MergeInput* const> inputs, const StopCheck& check, const VisitDocument& visit);

// Collects the parts of a document that is cut between inputs; owns its strings.
class OpenDocument {
 public:
  // `where`: a name of the input, for messages. Throws as refuse_length().
  void add(const RunDocument& part, const std::string& where);
  // The parts as one document: lengths added, texts concatenated, any other field from the first part that has it. Its
  // views live until the next add().
  RunDocument document() const;

 private:
  std::uint8_t fields_ = 0;
  std::uint32_t length_ = 0;
  std::array<std::string, 5> strings_;  // id, title, url, date, hash of the text
  std::string text_;
};

// Throws the FormatError for a document whose parts have 2^32 tokens or more together.
[[noreturn]] void refuse_length(const std::string& where);

// The texts, read alongside for_each_document. Without texts in the inputs both functions do nothing. Not thread-safe.
class SourceTexts {
 public:
  // The inputs live longer.
  explicit SourceTexts(std::span<const MergeInput* const> inputs) : inputs_(inputs) {}

  // Hands the text of the next document to `take`, fragment by fragment. Throws FormatError if there is none left.
  void next_document(const std::function<void(std::string_view)>& take);
  // Checks the end of the input. Requires: the last document was read. Throws FormatError if there is more text.
  void finish();

 private:
  const TextFragment* next_fragment();
  std::span<const MergeInput* const> inputs_;
  std::size_t input_ = 0;
  std::unique_ptr<TextCursor> cursor_;  // over inputs_[input_]
};

}  // namespace spillway
