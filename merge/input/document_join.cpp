#include "merge/input/document_join.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "io/base/error.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway {

void refuse_length(const std::string& where) {
  throw FormatError(where + ": expected a document of fewer than 2^32 tokens, found more over its parts");
}

namespace {

// A document of which more parts may come; owns its strings.
class OpenDocument {
 public:
  void add(const RunDocument& part, const std::string& where) {
    if (part.length > std::numeric_limits<std::uint32_t>::max() - length_) refuse_length(where);
    length_ += part.length;
    const std::array views{part.id, part.title, part.url, part.date};
    for (std::size_t i = 0; i < views.size(); ++i) {
      const std::uint8_t bit = static_cast<std::uint8_t>(1u << i);
      if ((fields_ & bit) == 0 && (part.fields & bit) != 0) strings_[i] = views[i];
    }
    text_ += part.text;
    fields_ |= part.fields;
  }

  RunDocument document() const {
    RunDocument whole;
    whole.fields = fields_;
    whole.length = length_;
    whole.id = strings_[0];
    whole.title = strings_[1];
    whole.url = strings_[2];
    whole.date = strings_[3];
    whole.text = text_;
    return whole;
  }

 private:
  std::uint8_t fields_ = 0;
  std::uint32_t length_ = 0;
  std::array<std::string, 4> strings_;
  std::string text_;
};

}  // namespace

void check_lengths(const MergeInput& input, std::uint64_t documents, std::uint64_t lengths) {
  const RunSummary& summary = input.summary();
  if (documents == summary.document_count && lengths == summary.occurrence_count) return;
  throw FormatError(input.name() + ": expected " + std::to_string(summary.document_count) + " documents with " +
                    std::to_string(summary.occurrence_count) + " occurrences, found " + std::to_string(documents) +
                    " with " + std::to_string(lengths) + ": it is damaged, make it again from its input");
}

void join_documents(std::span<const MergeInput* const> inputs, const TakeDocument& take) {
  lay_out_source(inputs);
  std::uint32_t number = 0;
  std::optional<OpenDocument> open;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const MergeInput* const input = inputs[i];
    const std::uint64_t count = input->summary().document_count;
    const bool last_goes_on = input->identity().last_document_open && i + 1 != inputs.size();
    const std::unique_ptr<DocumentCursor> cursor = input->documents();
    std::uint64_t index = 0, lengths = 0;
    for (; cursor->next(); ++index) {
      const RunDocument& part = cursor->document();
      lengths += part.length;
      const bool goes_on = last_goes_on && index + 1 == count;
      if (!open && !goes_on) {
        if (take(number++, part) == JoinStep::kStop) return;
        continue;
      }
      if (!open) open.emplace();
      open->add(part, input->name());
      if (goes_on) continue;
      if (take(number++, open->document()) == JoinStep::kStop) return;
      open.reset();
    }
    check_lengths(*input, index, lengths);
  }
}

}  // namespace spillway
