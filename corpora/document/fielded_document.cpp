#include "corpora/document/fielded_document.hpp"

#include <cstring>

namespace spillway {

namespace {

constexpr std::size_t kHeldFields = 4;
// A url or date that is cut stays longer than kMaxFieldBytes, so that the sink notices.
constexpr std::size_t kFieldRoom = kMaxFieldBytes + 8;

// Keeps as much of a text as there is room for.
class FieldOutput final : public TextOutput {
 public:
  explicit FieldOutput(std::span<char> room) : room_(room) {}
  void append(std::string_view fragment) override {
    const std::string_view kept = full_ ? std::string_view() : utf8_prefix(fragment, room_.size() - used_);
    full_ = full_ || kept.size() < fragment.size();
    if (!kept.empty()) std::memcpy(room_.data() + used_, kept.data(), kept.size());
    used_ += kept.size();
  }
  std::string_view text() const { return {room_.data(), used_}; }

 private:
  std::span<char> room_;
  std::size_t used_ = 0;
  bool full_ = false;
};

}  // namespace

FieldedDocument::FieldedDocument(std::span<char> scratch) : scratch_(scratch), fields_(kHeldFields * kFieldRoom) {}

std::size_t FieldedDocument::memory_bytes() { return kHeldFields * kFieldRoom; }

std::string_view FieldedDocument::field_text(const Send& send, std::size_t name, std::size_t slot) {
  FieldOutput out(std::span<char>(fields_).subspan(slot * kFieldRoom, kFieldRoom));
  send(name, out);
  return out.text();
}

void FieldedDocument::emit(const ChosenFields& chosen, std::span<const FieldValue> values, bool repaired,
                           const SourcePlace& place, const Send& send, DocumentSink& sink) {
  const bool has_title = chosen.title != FieldTable::kNoName;
  DocumentFields fields;
  fields.title_in_text = has_title && values[chosen.title].text_bytes > kMaxFieldBytes;
  fields.id = field_text(send, chosen.id, 0);
  fields.has_title = has_title && !fields.title_in_text;
  if (fields.has_title) fields.title = field_text(send, chosen.title, 1);
  fields.has_url = chosen.url != FieldTable::kNoName;
  fields.url = field_text(send, chosen.url, 2);
  fields.has_date = chosen.date != FieldTable::kNoName;
  fields.date = field_text(send, chosen.date, 3);
  fields.repaired = repaired;
  sink.begin(fields, place);
  TextBuffer out(scratch_, sink);
  if (fields.title_in_text) {
    send(chosen.title, out);
    out.append("\n");
  }
  send(chosen.text, out);
  out.flush();
  sink.end();
}

}  // namespace spillway
